import torch
import torch.nn.functional as F
from torch import nn

net = nn.Linear(8, 1)
optimizer = torch.optim.SGD(net.parameters(), lr=0.01)
smooth = 0.0
for x, y in loader:
    smooth = 0.9 * smooth + 0.1 * F.mse_loss(net(x), y)
    optimizer.zero_grad()
    smooth.backward(retain_graph=True)  # loss-not-reset
    optimizer.step()
