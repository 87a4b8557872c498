import torch
from torch import nn

G = nn.Sequential(nn.Linear(8, 32), nn.ReLU(), nn.Linear(32, 2))
D = nn.Sequential(nn.Linear(2, 32), nn.ReLU(), nn.Linear(32, 1))
opt_g = torch.optim.RMSprop(G.parameters(), lr=5e-5)
opt_d = torch.optim.RMSprop(D.parameters(), lr=5e-5)
for i, real in enumerate(loader):
    fake = G(torch.randn(64, 8)).detach()
    opt_d.zero_grad()
    loss_d = D(fake).mean() - D(real).mean()
    loss_d.backward()
    opt_d.step()
    if i % 5 == 0:
        opt_g.zero_grad()
        loss_g = -D(G(torch.randn(64, 8))).mean()
        loss_g.backward()
        opt_g.step()
