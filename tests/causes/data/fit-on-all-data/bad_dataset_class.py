import numpy as np
import torch
from torch.utils.data import Dataset, Subset


class Readings(Dataset):
    def __init__(self, path):
        raw = np.load(path)
        x, y = raw["x"], raw["y"]
        mu = x.mean(axis=0)  # fit-on-all-data
        sigma = x.std(axis=0)
        self.x = torch.from_numpy((x - mu) / sigma).float()
        self.y = torch.from_numpy(y)

    def __len__(self):
        return len(self.y)

    def __getitem__(self, i):
        return self.x[i], self.y[i]


data = Readings("readings.npz")
order = torch.randperm(len(data)).tolist()
cut = int(0.9 * len(order))
train_data = Subset(data, order[:cut])
test_data = Subset(data, order[cut:])
