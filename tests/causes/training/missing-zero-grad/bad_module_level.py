import torch
from torch import nn

model = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 3))
criterion = nn.CrossEntropyLoss()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)

for epoch in range(20):
    for start in range(0, len(x), 32):
        logits = model(x[start : start + 32])
        loss = criterion(logits, y[start : start + 32])
        loss.backward()  # missing-zero-grad
        optimizer.step()
    print(epoch, loss.item())
