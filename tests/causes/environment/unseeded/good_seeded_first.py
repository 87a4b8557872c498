import torch
from torch import nn
from torch.utils.data import DataLoader

from data import digits

torch.manual_seed(0)
model = nn.Linear(64, 10)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
loader = DataLoader(digits(), batch_size=32, shuffle=True)
for epoch in range(5):
    for x, y in loader:
        loss = nn.functional.cross_entropy(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
