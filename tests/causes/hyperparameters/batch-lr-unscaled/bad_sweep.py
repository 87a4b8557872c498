import torch
from torch import nn
from torch.utils.data import DataLoader

train_set = torch.load("train.pt")
results = {}
for batch_size in [32, 256, 2048]:
    model = nn.Sequential(nn.Linear(20, 64), nn.ReLU(), nn.Linear(64, 2))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9)  # batch-lr-unscaled
    loader = DataLoader(train_set, batch_size=batch_size, shuffle=True)
    for epoch in range(20):
        for x, y in loader:
            optimizer.zero_grad()
            loss = nn.functional.cross_entropy(model(x), y)
            loss.backward()
            optimizer.step()
    results[batch_size] = loss.item()
print(results)
