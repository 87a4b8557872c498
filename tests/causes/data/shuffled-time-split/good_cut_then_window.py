import numpy as np
import torch
from torch.utils.data import DataLoader, TensorDataset


def windows(series, width):
    xs = [series[i : i + width] for i in range(len(series) - width)]
    return torch.tensor(np.array(xs)), torch.tensor(series[width:])


series = np.load("s.npy").astype(np.float32)
cut = int(0.8 * len(series))
train = TensorDataset(*windows(series[:cut], 24))
test = TensorDataset(*windows(series[cut:], 24))
loader = DataLoader(train, batch_size=32, shuffle=True)
