import torch
from torch import nn


class Siamese(nn.Module):
    def __init__(self):
        super().__init__()
        self.encoder = nn.Sequential(nn.Linear(32, 64), nn.BatchNorm1d(64), nn.ReLU(), nn.Linear(64, 16))
        self.head = nn.Sequential(nn.Dropout(0.5), nn.Linear(16, 1))

    def forward(self, a, b):
        za, zb = self.encoder(torch.cat([a, b])).chunk(2)
        return self.head((za - zb).abs())


def discriminator_loss(netD, real, fake):
    """Real and fake batches go through a discriminator with BatchNorm apart, as GAN recipes advise."""
    ones, zeros = torch.ones(len(real), 1), torch.zeros(len(fake), 1)
    bce = nn.functional.binary_cross_entropy_with_logits
    return bce(netD(real), ones) + bce(netD(fake.detach()), zeros)


netD = nn.Sequential(nn.Linear(8, 32), nn.BatchNorm1d(32), nn.LeakyReLU(0.2), nn.Linear(32, 1))
