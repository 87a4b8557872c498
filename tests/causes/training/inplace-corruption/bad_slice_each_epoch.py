import torch
from torch import nn

X = torch.load("x.pt")
y = torch.load("y.pt")
net = nn.Linear(30, 2)
opt = torch.optim.SGD(net.parameters(), lr=0.1)
for epoch in range(20):
    for i in range(0, 6000, 100):
        xb = X[i : i + 100]
        xb /= 255  # inplace-corruption
        loss = nn.functional.cross_entropy(net(xb), y[i : i + 100])
        opt.zero_grad()
        loss.backward()
        opt.step()
