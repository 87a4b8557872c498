import torch
from torch import nn

for lr in (0.1, 0.01, 0.001):
    model = nn.Linear(10, 2)
    optimizer = torch.optim.SGD(model.parameters(), lr=lr)
    before = nn.functional.cross_entropy(model(x), y)
    before.backward()
    optimizer.step()
    after = nn.functional.cross_entropy(model(x), y)
    print(lr, before.item() - after.item())
