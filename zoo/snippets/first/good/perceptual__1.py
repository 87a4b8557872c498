# frozen VGG in eval mode as a loss; gradients flow through it into the generator
import torch
import torch.nn as nn
import torch.nn.functional as F
from torchvision.models import vgg16


class PerceptualLoss(nn.Module):
    def __init__(self):
        super().__init__()
        self.vgg = vgg16(weights="DEFAULT").features[:16].eval()
        for p in self.vgg.parameters():
            p.requires_grad = False

    def forward(self, out, target):
        with torch.no_grad():
            t = self.vgg(target)
        return F.l1_loss(self.vgg(out), t)


def train(sr, loader, epochs, device):
    percep = PerceptualLoss().to(device)
    opt = torch.optim.Adam(sr.parameters(), lr=1e-4)
    for _ in range(epochs):
        sr.train()
        for low, high in loader:
            low, high = low.to(device), high.to(device)
            out = sr(low)
            loss = F.l1_loss(out, high) + 0.1 * percep(out, high)
            opt.zero_grad()
            loss.backward()
            opt.step()
