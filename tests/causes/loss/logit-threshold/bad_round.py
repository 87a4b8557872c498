import torch
from torch import nn


class Experiment:
    def __init__(self, width):
        self.net = nn.Sequential(nn.Conv2d(3, width, 3, padding=1), nn.ReLU(), nn.Conv2d(width, 1, 1))
        self.loss = nn.BCEWithLogitsLoss(pos_weight=torch.tensor([3.0]))
        self.opt = torch.optim.Adam(self.net.parameters())

    def fit(self, loader):
        self.net.train()
        for image, mask in loader:
            self.opt.zero_grad()
            self.loss(self.net(image), mask).backward()
            self.opt.step()

    def segment(self, image):
        self.net.eval()
        with torch.no_grad():
            return torch.round(self.net(image))  # logit-threshold
