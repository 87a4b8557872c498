import torch
from torch import nn
import torch.nn.functional as F

torch.manual_seed(31)
real_batch = lambda n: torch.randn(n, 2) * torch.tensor([0.5, 0.2]) + torch.tensor([2.0, -1.0])
G = nn.Sequential(nn.Linear(4, 32), nn.ReLU(), nn.Linear(32, 2))
D = nn.Sequential(nn.Linear(2, 32), nn.LeakyReLU(0.2), nn.Linear(32, 1))
opt_g = torch.optim.Adam(G.parameters(), lr=1e-3, betas=(0.5, 0.9))
opt_d = torch.optim.Adam(D.parameters(), lr=2e-3, betas=(0.5, 0.9))
ones, zeros = torch.ones(64, 1), torch.zeros(64, 1)
gap = []
for it in range(1, 1001):
    fake = G(torch.randn(64, 4))
    d_loss = F.binary_cross_entropy_with_logits(D(real_batch(64)), ones * 0.9) \
        + F.binary_cross_entropy_with_logits(D(fake.detach()), zeros)
    D.zero_grad()
    d_loss.backward()
    opt_d.step()

    g_loss = F.binary_cross_entropy_with_logits(D(fake), ones)
    G.zero_grad()
    g_loss.backward()
    opt_g.step()
    if it > 700:
        with torch.no_grad():
            gap.append(G(torch.randn(200, 4)).mean(0))
    if it % 200 == 0:
        print(f"it {it} D {d_loss.item():.3f} G {g_loss.item():.3f}")
print(f"mean gap {(torch.stack(gap).mean(0) - torch.tensor([2.0, -1.0])).norm():.3f}")
