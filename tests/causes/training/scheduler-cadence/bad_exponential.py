import torch
from torch import nn
from torch.optim.lr_scheduler import ExponentialLR

model = nn.Linear(30, 2)
opt = torch.optim.SGD(model.parameters(), lr=0.1)
sched = ExponentialLR(opt, gamma=0.9)
for epoch in range(20):
    for xb, yb in train_loader:
        opt.zero_grad()
        nn.functional.cross_entropy(model(xb), yb).backward()
        opt.step()
        sched.step()  # scheduler-cadence
