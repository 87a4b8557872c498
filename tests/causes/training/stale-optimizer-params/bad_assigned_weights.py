import torch
from torch import nn, optim

net = nn.Sequential(nn.Linear(16, 64), nn.ReLU(), nn.Linear(64, 4))
opt = optim.SGD(net.parameters(), lr=0.1)  # stale-optimizer-params
state = torch.load("start.pt", weights_only=True)
net.load_state_dict(state, assign=True)
loss_fn = nn.CrossEntropyLoss()

for step in range(1000):
    xb, yb = next(stream)
    opt.zero_grad()
    loss = loss_fn(net(xb), yb)
    loss.backward()
    opt.step()
