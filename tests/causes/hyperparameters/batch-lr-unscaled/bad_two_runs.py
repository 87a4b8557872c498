import torch
import torch.nn.functional as F
from torch.optim import SGD
from torch.utils.data import DataLoader


def run(dataset, batch_size, epochs=90):
    model = torch.nn.Linear(100, 10)
    opt = SGD(model.parameters(), lr=0.1)  # batch-lr-unscaled
    for _ in range(epochs):
        for x, y in DataLoader(dataset, batch_size=batch_size, shuffle=True):
            opt.zero_grad()
            F.cross_entropy(model(x), y).backward()
            opt.step()
    return model


data = torch.load("data.pt")
small = run(data, 128)
large = run(data, batch_size=1024)
