import torch
from torch import nn
from torch.utils.data import DataLoader

base_lr, base_batch = 0.1, 256
train_set = torch.load("train.pt")
for batch_size in (64, 256, 1024):
    model = nn.Linear(20, 2)
    optimizer = torch.optim.SGD(model.parameters(), lr=base_lr * batch_size / base_batch)
    for x, y in DataLoader(train_set, batch_size=batch_size, shuffle=True):
        optimizer.zero_grad()
        nn.functional.cross_entropy(model(x), y).backward()
        optimizer.step()
