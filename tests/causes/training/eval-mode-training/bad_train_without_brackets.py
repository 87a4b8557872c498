import torch
from torch import nn

net = nn.Sequential(nn.Linear(8, 64), nn.BatchNorm1d(64), nn.ReLU(), nn.Linear(64, 3))
sgd = torch.optim.SGD(net.parameters(), lr=0.1)
for epoch in range(20):
    net.train  # eval-mode-training
    for x, y in train_batches:
        sgd.zero_grad()
        nn.functional.cross_entropy(net(x), y).backward()
        sgd.step()
    net.eval()
    with torch.no_grad():
        hits = sum((net(x).argmax(1) == y).sum().item() for x, y in val_batches)
    print(epoch, hits)
