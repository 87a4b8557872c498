import torch
import torch.nn as nn


class Discriminator(nn.Module):
    def __init__(self, nf=64):
        super().__init__()
        self.main = nn.Sequential(
            nn.Conv2d(3, nf, 4, 2, 1), nn.LeakyReLU(0.2),
            nn.Conv2d(nf, nf * 2, 4, 2, 1), nn.LeakyReLU(0.2),
            nn.Flatten(), nn.Linear(nf * 2 * 8 * 8, 1),
        )

    def forward(self, img):
        return self.main(img).view(-1)


netD = Discriminator()
bce = nn.BCELoss()
optD = torch.optim.Adam(netD.parameters(), lr=2e-4, betas=(0.5, 0.999))


def d_step(real, fake):
    optD.zero_grad()
    ones = torch.ones(real.size(0))
    zeros = torch.zeros(fake.size(0))
    loss = bce(netD(real), ones) + bce(netD(fake.detach()), zeros)
    loss.backward()
    optD.step()
    return loss.item()
