import torch
import torch.nn as nn
import torch.nn.functional as F


class SiameseNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.trunk = nn.Sequential(
            nn.Conv2d(1, 64, 5), nn.BatchNorm2d(64), nn.ReLU(), nn.MaxPool2d(2),
            nn.Conv2d(64, 128, 5), nn.BatchNorm2d(128), nn.ReLU(), nn.AdaptiveAvgPool2d(1), nn.Flatten())
        self.fc = nn.Linear(256, 1)

    def forward(self, a, b):
        # one pass over both images, so the batch statistics are common
        za, zb = self.trunk(torch.cat([a, b])).chunk(2)
        return self.fc(torch.cat([(za - zb).abs(), za * zb], 1)).squeeze(1)


def train(model, loader, opt):
    model.train()
    for a, b, same in loader:
        opt.zero_grad()
        F.binary_cross_entropy_with_logits(model(a, b), same.float()).backward()
        opt.step()
