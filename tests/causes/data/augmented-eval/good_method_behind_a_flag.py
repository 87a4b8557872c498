"""A method of the data set draws, behind a flag that is off for the held-out set."""
import random

import torch
from torch.utils.data import DataLoader, Dataset


class Clips(Dataset):
    def __init__(self, x, y, augment=True):
        self.x, self.y = x, y
        self.augment = augment

    def __len__(self):
        return len(self.y)

    def _louder(self, clip):
        return clip * random.uniform(0.6, 1.4)

    def __getitem__(self, i):
        clip = self.x[i]
        if self.augment:
            clip = self._louder(clip)
        return (clip - 0.9) / 0.7, self.y[i]


def make(n):
    return torch.randn(n, 3), torch.randint(0, 2, (n,))


train = Clips(*make(100))
val = Clips(*make(100), augment=False)
model = torch.nn.Linear(3, 2)
opt = torch.optim.SGD(model.parameters(), lr=0.1)
for epoch in range(3):
    model.train()
    for x, y in DataLoader(train, batch_size=10, shuffle=True):
        opt.zero_grad()
        torch.nn.functional.cross_entropy(model(x), y).backward()
        opt.step()
    model.eval()
    with torch.no_grad():
        for x, y in DataLoader(val, batch_size=10):
            print((model(x).argmax(1) == y).float().mean())
