import torch
from torch import nn


class Trainer:
    def __init__(self, net: nn.Module):
        self.net = net
        self.loss = nn.CrossEntropyLoss()
        self.optim = torch.optim.SGD(self.net.parameters(), lr=0.1, momentum=0.9)

    def step(self, images, labels):
        loss = self.loss(self.net(images), labels)
        loss.backward()
        nn.utils.clip_grad_norm_(self.net.parameters(), 1.0)
        self.net.zero_grad()  # zero-grad-after-backward
        self.optim.step()
        return loss.item()
