import torch
from torch import nn
from torch.utils.data import DataLoader, SubsetRandomSampler, TensorDataset

torch.manual_seed(0)
x, y = torch.randn(500, 6), torch.randint(2, (500,))
train_set = TensorDataset(x, y)
order = torch.randperm(500).tolist()
train_loader = DataLoader(train_set, batch_size=32, sampler=SubsetRandomSampler(order[:400]))
val_loader = DataLoader(train_set, batch_size=100, sampler=SubsetRandomSampler(order[400:]))
net = nn.Sequential(nn.Linear(6, 16), nn.ReLU(), nn.Linear(16, 2))
optimizer = torch.optim.Adam(net.parameters(), lr=1e-2)
for epoch in range(10):
    net.train()
    for a, b in train_loader:
        optimizer.zero_grad()
        nn.functional.cross_entropy(net(a), b).backward()
        optimizer.step()
    net.eval()
    with torch.no_grad():
        right = sum((net(a).argmax(1) == b).sum().item() for a, b in val_loader)
    print(epoch, right)
