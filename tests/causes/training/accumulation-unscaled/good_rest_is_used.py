import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
x = torch.rand(1000, 5)
loader = DataLoader(TensorDataset(x, x.sum(1, keepdim=True)), batch_size=32, shuffle=True)
model = nn.Linear(5, 1)
optimizer = torch.optim.Adam(model.parameters())
for epoch in range(10):
    optimizer.zero_grad()
    for i, (features, goal) in enumerate(loader):
        (nn.functional.mse_loss(model(features), goal) / 12).backward()
        if (i + 1) % 12 == 0 or i + 1 == len(loader):
            optimizer.step()
            optimizer.zero_grad()
for epoch in range(10):
    optimizer.zero_grad()
    for i, (features, goal) in enumerate(loader):
        (nn.functional.mse_loss(model(features), goal) / 12).backward()
        if (i + 1) % 12 == 0:
            optimizer.step()
            optimizer.zero_grad()
    optimizer.step()
for epoch in range(10):
    optimizer.zero_grad()
    for i, (features, goal) in enumerate(loader):
        (nn.functional.mse_loss(model(features), goal) / 8).backward()
        if (i + 1) % 8 == 0:
            optimizer.step()
            optimizer.zero_grad()
