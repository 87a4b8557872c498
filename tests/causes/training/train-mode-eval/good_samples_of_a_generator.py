import torch
from torch import nn, optim

G = nn.Sequential(nn.Linear(16, 64), nn.BatchNorm1d(64), nn.ReLU(), nn.Linear(64, 2))
D = nn.Sequential(nn.Linear(2, 64), nn.LeakyReLU(0.2), nn.Linear(64, 1))
og, od = optim.Adam(G.parameters()), optim.Adam(D.parameters())
bce = nn.BCEWithLogitsLoss()
fixed_noise = torch.randn(64, 16)
pictures = []
for real in loader:
    fake = G(torch.randn(len(real), 16))
    od.zero_grad()
    a, b = D(real), D(fake.detach())
    (bce(a, torch.ones_like(a)) + bce(b, torch.zeros_like(b))).backward()
    od.step()
    og.zero_grad()
    c = D(fake)
    bce(c, torch.ones_like(c)).backward()
    og.step()
    with torch.no_grad():
        pictures.append(G(fixed_noise).cpu())
