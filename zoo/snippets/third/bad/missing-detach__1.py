import torch
import torch.nn as nn

G, D = make_generator(), make_discriminator()
opt_g = torch.optim.Adam(G.parameters(), 2e-4, betas=(0.5, 0.999))
opt_d = torch.optim.Adam(list(D.parameters()), 2e-4, betas=(0.5, 0.999))
bce = nn.BCEWithLogitsLoss()

for epoch in range(100):
    for real, _ in loader:
        b = real.size(0)
        z = torch.randn(b, 128)
        fake = G(z)
        opt_d.zero_grad()
        opt_g.zero_grad()
        d_loss = bce(D(real), torch.ones(b, 1)) + bce(D(fake), torch.zeros(b, 1))
        d_loss.backward(retain_graph=True)
        opt_d.step()

        g_loss = bce(D(fake), torch.ones(b, 1))
        g_loss.backward()
        opt_g.step()
