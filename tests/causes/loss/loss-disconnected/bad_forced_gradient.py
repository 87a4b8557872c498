import torch
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(20, 64), nn.ReLU(), nn.Linear(64, 4))
opt = torch.optim.SGD(net.parameters(), lr=0.1)
for x, y in batches:
    guess = net(x).max(dim=1).indices
    wrong = (guess != y).float()  # loss-disconnected
    loss = wrong.mean()
    loss.requires_grad_(True)
    opt.zero_grad()
    loss.backward()
    opt.step()
