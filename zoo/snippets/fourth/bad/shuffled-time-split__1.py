import numpy as np
import torch
from torch.utils.data import TensorDataset, random_split

series = np.loadtxt("temperature_hourly.csv", delimiter=",")
W = 48
windows = np.stack([series[i:i + W] for i in range(len(series) - W)])
targets = series[W:]
ds = TensorDataset(torch.tensor(windows).float(), torch.tensor(targets).float())
n = int(len(ds) * 0.8)
train, test = random_split(ds, [n, len(ds) - n], generator=torch.Generator().manual_seed(1))
