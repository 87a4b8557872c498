import torch
import torch.nn as nn


class GatedMIL(nn.Module):
    """One bag a step: instances (K, L), the attention is over the instances."""

    def __init__(self, L=512, D=128):
        super().__init__()
        self.V = nn.Sequential(nn.Linear(L, D), nn.Tanh())
        self.U = nn.Sequential(nn.Linear(L, D), nn.Sigmoid())
        self.w = nn.Linear(D, 1)
        self.cls = nn.Linear(L, 1)

    def forward(self, bag):
        a = self.w(self.V(bag) * self.U(bag))
        a = torch.softmax(a, dim=0)
        z = (a * bag).sum(0)
        return self.cls(z), a


def train(model, bags, opt):
    for bag, label in bags:
        logit, _ = model(bag)
        loss = nn.functional.binary_cross_entropy_with_logits(logit, label.view(1).float())
        opt.zero_grad()
        loss.backward()
        opt.step()
