import numpy as np
import torch
from torch.utils.data import DataLoader, TensorDataset

x = np.load("x.npy").astype(np.float32) / 255.0
y = np.load("y.npy")
rng = np.random.default_rng(0)
order = rng.permutation(len(x))
train_idx, test_idx = order[:5000], order[5000:]
mean, std = x[train_idx].mean(0), x[train_idx].std(0)
x = (x - mean) / std
train = TensorDataset(torch.from_numpy(x[train_idx]), torch.from_numpy(y[train_idx]))
test = TensorDataset(torch.from_numpy(x[test_idx]), torch.from_numpy(y[test_idx]))
loader = DataLoader(train, batch_size=64, shuffle=True)
