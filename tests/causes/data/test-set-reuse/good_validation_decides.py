import copy

import torch
import torch.nn.functional as F
from torch.utils.data import DataLoader, random_split
from torchvision import datasets, transforms as T

full = datasets.MNIST("d", train=True, transform=T.ToTensor())
train_set, val_set = random_split(full, [50000, 10000])
train_loader = DataLoader(train_set, 64, shuffle=True)
val_loader = DataLoader(val_set, 256)
test_loader = DataLoader(datasets.MNIST("d", train=False, transform=T.ToTensor()), 256)
net = torch.nn.Sequential(torch.nn.Flatten(), torch.nn.Linear(784, 10))
opt = torch.optim.Adam(net.parameters())


@torch.no_grad()
def mean_loss(loader):
    net.eval()
    losses = [F.cross_entropy(net(x), y).item() for x, y in loader]
    return sum(losses) / len(losses)


best, state = float("inf"), None
for epoch in range(30):
    net.train()
    for x, y in train_loader:
        opt.zero_grad()
        F.cross_entropy(net(x), y).backward()
        opt.step()
    val = mean_loss(val_loader)
    print(epoch, val, mean_loss(test_loader))
    if val < best:
        best, state = val, copy.deepcopy(net.state_dict())
net.load_state_dict(state)
print("test loss", mean_loss(test_loader))
