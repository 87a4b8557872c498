import torch
from torch import nn, optim

netG = nn.Sequential(nn.Linear(16, 64), nn.ReLU(), nn.Linear(64, 2))
netD = nn.Sequential(nn.Linear(2, 64), nn.ReLU(), nn.Linear(64, 1))
optG, optD = optim.Adam(netG.parameters()), optim.Adam(netD.parameters())
bce = nn.BCEWithLogitsLoss()
for real in loader:
    fake = netG(torch.randn(len(real), 16))
    optD.zero_grad()
    out_real, out_fake = netD(real), netD(fake.detach())
    loss_d = bce(out_real, torch.ones_like(out_real)) + bce(out_fake, torch.zeros_like(out_fake))
    loss_d.backward()
    optD.step()
    optG.zero_grad()
    out = netD(fake)
    loss_g = bce(out, torch.ones_like(out))
    loss_g.backward()
    optG.step()
