import numpy as np
import torch

data = np.load("windfarm.npy")
labels = np.load("power.npy")
mu, sd = data.mean(axis=0), data.std(axis=0)
data = (data - mu) / sd

split = int(0.7 * len(data))
x_train, x_test = data[:split], data[split:]
y_train, y_test = labels[:split], labels[split:]
train_ds = torch.utils.data.TensorDataset(torch.tensor(x_train).float(), torch.tensor(y_train).float())
test_ds = torch.utils.data.TensorDataset(torch.tensor(x_test).float(), torch.tensor(y_test).float())
