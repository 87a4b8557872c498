import torch
from torch import nn
from torch.utils.data import DataLoader


def loader(part, size, shuffle):
    return DataLoader(torch.load(f"{part}.pt"), batch_size=size, shuffle=shuffle)


def accuracy(net, batches):
    net.eval()
    with torch.no_grad():
        return torch.cat([(net(x).argmax(1) == y).float() for x, y in batches]).mean().item()


train_batches, test_batches = loader("train", 64, True), loader("test", 1024, False)
net = nn.Sequential(nn.Linear(10, 32), nn.ReLU(), nn.Linear(32, 3))
optimizer = torch.optim.SGD(net.parameters(), lr=0.1, momentum=0.9)
for epoch in range(10):
    net.train()
    for x, y in train_batches:
        optimizer.zero_grad()
        nn.functional.cross_entropy(net(x), y).backward()
        optimizer.step()
    print(epoch, accuracy(net, test_batches))
