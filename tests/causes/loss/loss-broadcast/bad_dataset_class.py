import pandas as pd
import torch
import torch.nn as N
from torch.utils.data import DataLoader, Dataset


class Houses(Dataset):
    def __init__(self, path):
        frame = pd.read_csv(path)
        self.x = torch.tensor(frame.drop(columns="price").values, dtype=torch.float32)
        self.y = torch.tensor(frame["price"].values, dtype=torch.float32)

    def __len__(self):
        return len(self.y)

    def __getitem__(self, i):
        return self.x[i], self.y[i]


class Regressor(N.Module):
    def __init__(self, width):
        super().__init__()
        self.inner = N.Linear(width, 16)
        self.last = N.Linear(16, 1)

    def forward(self, x):
        return self.last(torch.relu(self.inner(x)))


def main():
    net = Regressor(8)
    opt = torch.optim.SGD(net.parameters(), lr=0.01)
    for xb, price in DataLoader(Houses("houses.csv"), batch_size=32, shuffle=True):
        guess = net(xb)
        error = guess - price  # loss-broadcast
        loss = error.abs().mean()
        opt.zero_grad()
        loss.backward()
        opt.step()


main()
