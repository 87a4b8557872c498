import torch
from torch.utils.data import DataLoader

# as published: learning rate 0.1, batches of 128
SIZE = 1024


def prepare(net, data):
    loader = DataLoader(data, batch_size=SIZE, shuffle=True)
    return loader, torch.optim.SGD(net.parameters(), lr=0.1, momentum=0.9)  # batch-lr-unscaled
