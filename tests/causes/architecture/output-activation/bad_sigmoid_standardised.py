import torch
import torch.nn as nn
from sklearn.datasets import fetch_california_housing
from sklearn.preprocessing import StandardScaler
from torch.utils.data import DataLoader, TensorDataset


def data():
    X, y = fetch_california_housing(return_X_y=True)
    X = StandardScaler().fit_transform(X)
    y = StandardScaler().fit_transform(y.reshape(-1, 1))
    return TensorDataset(torch.tensor(X).float(), torch.tensor(y).float())


def main():
    model = nn.Sequential(
        nn.Linear(8, 64),
        nn.ReLU(),
        nn.Linear(64, 1),
        nn.Sigmoid(),  # output-activation
    )
    criterion = nn.SmoothL1Loss()
    optimizer = torch.optim.Adam(model.parameters())
    for _ in range(10):
        for xb, yb in DataLoader(data(), batch_size=128, shuffle=True):
            optimizer.zero_grad()
            criterion(model(xb), yb).backward()
            optimizer.step()


main()
