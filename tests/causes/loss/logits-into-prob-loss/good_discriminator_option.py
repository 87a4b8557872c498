import torch
import torch.nn as nn


class Discriminator(nn.Module):
    def __init__(self, width, use_sigmoid):
        super().__init__()
        layers = [nn.Linear(width, 64), nn.LeakyReLU(0.2), nn.Linear(64, 1)]
        if use_sigmoid:
            layers += [nn.Sigmoid()]
        self.net = nn.Sequential(*layers)

    def forward(self, x):
        return self.net(x).view(-1)


def d_step(disc, real, fake, opt):
    bce = nn.BCELoss()
    loss = bce(disc(real), torch.ones(len(real))) + bce(disc(fake.detach()), torch.zeros(len(fake)))
    opt.zero_grad()
    loss.backward()
    opt.step()
