import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

cats, dogs = torch.load("cats.pt"), torch.load("dogs.pt")
x = torch.cat([cats, dogs])
y = torch.cat([torch.zeros(len(cats)), torch.ones(len(dogs))]).long()
loader = DataLoader(TensorDataset(x, y), batch_size=32)  # unshuffled-training
net = nn.Sequential(nn.Flatten(), nn.Linear(3072, 2))
opt = torch.optim.SGD(net.parameters(), lr=0.1)
for epoch in range(5):
    for xb, yb in loader:
        opt.zero_grad()
        nn.functional.cross_entropy(net(xb), yb).backward()
        opt.step()
