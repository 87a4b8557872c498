import torch
from sklearn.datasets import load_digits
from torch.utils.data import DataLoader, TensorDataset


def loaders(batch):
    d = load_digits()
    x = torch.tensor(d.images, dtype=torch.float32)[:, None] / 8 - 1
    y = torch.tensor(d.target)
    return (DataLoader(TensorDataset(x[:1200], y[:1200]), batch_size=batch, shuffle=True),
            DataLoader(TensorDataset(x[1200:], y[1200:]), batch_size=200))
