import torch
import torch.nn as nn

latent = 100
G = nn.Sequential(nn.Linear(latent, 256), nn.ReLU(), nn.Linear(256, 784), nn.Tanh())
D = nn.Sequential(nn.Linear(784, 256), nn.LeakyReLU(0.2), nn.Linear(256, 1), nn.Sigmoid())
g_opt = torch.optim.Adam(G.parameters(), lr=2e-4, betas=(0.5, 0.999))
d_opt = torch.optim.Adam(D.parameters(), lr=2e-4, betas=(0.5, 0.999))

for epoch in range(100):
    for real, _ in dataloader:
        real = real.view(real.size(0), -1)
        z = torch.randn(real.size(0), latent)
        fake = G(z)

        d_real = D(real)
        d_fake = D(fake.detach())
        d_loss = -(torch.log(d_real) + torch.log(1 - d_fake)).mean()
        d_opt.zero_grad()
        d_loss.backward()
        d_opt.step()

        g_loss = -torch.log(D(fake)).mean()
        g_opt.zero_grad()
        g_loss.backward()
        g_opt.step()
    print(f"{epoch}: D {d_loss.item():.3f} G {g_loss.item():.3f}")
