import torch
import torch.nn as nn

torch.manual_seed(1)
gen = nn.Sequential(nn.Linear(4, 32), nn.ReLU(), nn.Linear(32, 2))
critic = nn.Sequential(nn.Linear(2, 48), nn.LeakyReLU(0.2), nn.Linear(48, 1))
opt_g = torch.optim.RMSprop(gen.parameters(), lr=1e-3)
opt_c = torch.optim.RMSprop(critic.parameters(), lr=2e-3)


def real(n):
    return torch.randn(n, 2) * torch.tensor([0.3, 0.8]) + torch.tensor([1.0, -1.0])


for it in range(500):
    for _ in range(3):
        fake = gen(torch.randn(64, 4)).detach()
        c_loss = critic(fake).mean() - critic(real(64)).mean()
        opt_c.zero_grad()
        c_loss.backward()
        opt_c.step()
        for p in critic.parameters():
            p.data.clamp_(-0.1, 0.1)
    g_loss = -critic(gen(torch.randn(64, 4))).mean()
    opt_g.zero_grad()
    g_loss.backward()
    opt_g.step()
    if it % 100 == 0:
        print(it, round(c_loss.item(), 4), round(g_loss.item(), 4))
with torch.no_grad():
    s = gen(torch.randn(1000, 4))
print(f"distance {(s.mean(0) - torch.tensor([1.0, -1.0])).norm().item():.3f}")
