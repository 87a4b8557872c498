import torch
import torch.nn as nn
from models import Generator, Discriminator

torch.manual_seed(999)
dev = torch.device("cuda")
gen, disc = Generator(128).to(dev), Discriminator().to(dev)
crit = nn.BCEWithLogitsLoss()
g_opt = torch.optim.Adam(gen.parameters(), 2e-4, (0.5, 0.999))
d_opt = torch.optim.Adam(disc.parameters(), 2e-4, (0.5, 0.999))

for epoch in range(100):
    for real, _ in loader:
        real = real.to(dev)
        b = real.size(0)
        g_opt.zero_grad()
        d_opt.zero_grad()

        fake = gen(torch.randn(b, 128, 1, 1, device=dev))
        d_real = crit(disc(real).view(-1), torch.ones(b, device=dev))
        d_fake = crit(disc(fake).view(-1), torch.zeros(b, device=dev))
        d_loss = d_real + d_fake
        d_loss.backward(retain_graph=True)
        d_opt.step()

        g_loss = crit(disc(fake).view(-1), torch.ones(b, device=dev))
        g_loss.backward()
        g_opt.step()
    print(f"[{epoch}] D {d_loss.item():.3f} G {g_loss.item():.3f}")
