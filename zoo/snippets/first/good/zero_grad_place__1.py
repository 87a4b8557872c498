import torch
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(20, 64), nn.ReLU(), nn.Linear(64, 1))
opt = torch.optim.Adam(net.parameters(), lr=1e-3)

for epoch in range(10):
    for x, y in loader:
        loss = nn.functional.mse_loss(net(x), y.view(-1, 1))
        loss.backward()
        nn.utils.clip_grad_norm_(net.parameters(), 1.0)
        opt.step()
        opt.zero_grad(set_to_none=True)
    print(epoch, loss.item())
