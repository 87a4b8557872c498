import torch
from torch import nn

x = torch.randn(300, 20)
y = (x[:, 0] > 0).float()
model = nn.Sequential(nn.Linear(20, 16), nn.ReLU(), nn.Linear(16, 1))
criterion = nn.CrossEntropyLoss()  # loss-wrong-for-task
optimizer = torch.optim.Adam(model.parameters())
for start in range(0, 300, 30):
    xb, yb = x[start : start + 30], y[start : start + 30]
    loss = criterion(model(xb), yb.unsqueeze(1))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
