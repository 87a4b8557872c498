import torch
from torch import nn

accum = 8
model = nn.Linear(100, 10)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
criterion = nn.CrossEntropyLoss()
for epoch in range(5):
    optimizer.zero_grad()
    for i, (x, y) in enumerate(loader):
        loss = criterion(model(x), y)
        loss.backward()  # accumulation-unscaled
        if (i + 1) % accum == 0:
            optimizer.step()
            optimizer.zero_grad()
