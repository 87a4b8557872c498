import torch
import torch.nn as N
from torch.utils.data import DataLoader as Loader

data = torch.load("data.pt")
for size, rate in [(32, 0.02), (512, 0.2)]:
    net = N.Linear(16, 2)
    opt = torch.optim.SGD(net.parameters(), lr=rate)
    for x, y in Loader(data, batch_size=size, shuffle=True):
        opt.zero_grad()
        N.functional.cross_entropy(net(x), y).backward()
        opt.step()
