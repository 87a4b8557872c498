import random

import torch
from torch.utils.data import DataLoader, Dataset


class Spectra(Dataset):
    def __init__(self, rows, labels):
        self.rows, self.labels = rows, labels

    def __len__(self):
        return len(self.labels)

    def _jitter(self, row):
        if random.random() < 0.5:
            row = row.flip(0)
        return row * random.uniform(0.8, 1.2)

    def __getitem__(self, place):
        row = self._jitter(self.rows[place])
        return row, self.labels[place]


def score(net, batches):
    net.eval()
    with torch.no_grad():
        return sum((net(x).argmax(1) == y).float().mean() for x, y in batches) / len(batches)


rows, labels = torch.load("spectra.pt")
fit_on = DataLoader(Spectra(rows[:800], labels[:800]), batch_size=32, shuffle=True)
judge_on = DataLoader(Spectra(rows[800:], labels[800:]), batch_size=32)  # augmented-eval
net = torch.nn.Sequential(torch.nn.Linear(300, 64), torch.nn.ReLU(), torch.nn.Linear(64, 4))
opt = torch.optim.Adam(net.parameters())
for epoch in range(20):
    net.train()
    for x, y in fit_on:
        opt.zero_grad()
        torch.nn.functional.cross_entropy(net(x), y).backward()
        opt.step()
    print(epoch, score(net, judge_on))
