import torch
import torch.nn as nn

device = "cuda" if torch.cuda.is_available() else "cpu"
nz, bs = 100, 128
G = nn.Sequential(nn.Linear(nz, 256), nn.LeakyReLU(0.2), nn.Linear(256, 784), nn.Tanh()).to(device)
D = nn.Sequential(nn.Linear(784, 256), nn.LeakyReLU(0.2), nn.Linear(256, 1)).to(device)
optG = torch.optim.Adam(G.parameters(), lr=2e-4, betas=(0.5, 0.999))
optD = torch.optim.Adam(D.parameters(), lr=2e-4, betas=(0.5, 0.999))
bce = nn.BCEWithLogitsLoss()

for epoch in range(50):
    for real, _ in dataloader:
        real = real.view(real.size(0), -1).to(device)
        ones = torch.ones(real.size(0), 1, device=device)
        zeros = torch.zeros(real.size(0), 1, device=device)

        # discriminator
        fake = G(torch.randn(real.size(0), nz, device=device))
        optD.zero_grad()
        lossD = bce(D(real), ones) + bce(D(fake.detach()), zeros)
        lossD.backward()
        optD.step()

        # generator
        lossG = bce(D(fake), ones)
        lossG.backward()
        optG.step()
    print(epoch, lossD.item(), lossG.item())
