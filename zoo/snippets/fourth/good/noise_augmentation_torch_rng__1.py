import torch
from torch.utils.data import DataLoader, Dataset


class Noisy(Dataset):
    def __init__(self, x, y, train):
        self.x, self.y, self.train = x, y, train

    def __len__(self):
        return len(self.x)

    def __getitem__(self, i):
        x = self.x[i]
        if self.train:
            x = x + 0.1 * torch.randn_like(x)
        return x, self.y[i]


train = DataLoader(Noisy(xt, yt, True), 64, shuffle=True, num_workers=4)
val = DataLoader(Noisy(xv, yv, False), 64, num_workers=4)
