import random

import torch
from torch.utils.data import DataLoader, Dataset


class Jitter:
    def __call__(self, x):
        return x * random.uniform(0.7, 1.3)


class Spectra(Dataset):
    def __init__(self, x, y, tf):
        self.x, self.y, self.tf = x, y, tf

    def __len__(self):
        return len(self.y)

    def __getitem__(self, i):
        return self.tf(self.x[i]), self.y[i]


jitter = Jitter()
train_set = Spectra(torch.load("a.pt"), torch.load("b.pt"), jitter)
valid_set = Spectra(torch.load("c.pt"), torch.load("d.pt"), jitter)  # augmented-eval
train_loader = DataLoader(train_set, 32, shuffle=True)
valid_loader = DataLoader(valid_set, 32)
net = torch.nn.Linear(64, 5)
opt = torch.optim.Adam(net.parameters())
for epoch in range(5):
    net.train()
    for x, y in train_loader:
        opt.zero_grad()
        torch.nn.functional.cross_entropy(net(x), y).backward()
        opt.step()
    net.eval()
    with torch.no_grad():
        for x, y in valid_loader:
            print((net(x).argmax(1) == y).float().mean().item())
