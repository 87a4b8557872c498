import torch
from torch import nn

net = nn.Linear(4, 1)
opt = torch.optim.SGD(net.parameters(), lr=0.01)
for xb, yb in batches:
    loss = nn.functional.mse_loss(net(xb), yb)
    loss.backward()
    opt.step()
    opt.zero_grad(set_to_none=True)
