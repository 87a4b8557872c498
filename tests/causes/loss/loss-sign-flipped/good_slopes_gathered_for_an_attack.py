"""An attack sums its slopes in a buffer that lies where the model does, and moves the picture by their sign."""

import torch
from torch import nn
from torch.nn.functional import cross_entropy


class Attack:
    def __init__(self, model, size=0.01, copies=5):
        self.model, self.size, self.copies = model, size, copies
        self.device = next(model.parameters()).device

    def __call__(self, pictures, labels):
        pictures = pictures.clone().detach().to(self.device)
        moved = pictures.clone().detach()
        for _ in range(10):
            moved.requires_grad = True
            slope = torch.zeros_like(pictures).to(self.device)
            for power in range(self.copies):
                cost = cross_entropy(self.model(moved / 2**power), labels)
                slope += torch.autograd.grad(cost, moved)[0]
            moved = moved.detach() + self.size * slope.sign()
        return moved.clamp(0, 1)


attack = Attack(nn.Sequential(nn.Flatten(), nn.Linear(64, 10)))
print(attack(torch.rand(4, 1, 8, 8), torch.tensor([1, 2, 3, 4])).mean())
