import torch
import torch.nn as N
from sklearn.datasets import load_iris
from sklearn.model_selection import train_test_split
from torch.utils.data import DataLoader, TensorDataset

X, y = load_iris(return_X_y=True)
X_train, X_test, y_train, y_test = train_test_split(X, y, stratify=y)
train_set = TensorDataset(torch.tensor(X_train).float(), torch.tensor(y_train).float())
net = N.Sequential(N.Linear(4, 16), N.ReLU(), N.Linear(16, 1))
mse = N.MSELoss()
opt = torch.optim.Adam(net.parameters())
for xb, yb in DataLoader(train_set, batch_size=16, shuffle=True):
    loss = mse(net(xb).squeeze(1), yb)  # loss-wrong-for-task
    opt.zero_grad()
    loss.backward()
    opt.step()
