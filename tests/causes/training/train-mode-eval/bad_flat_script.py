import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

train_loader = DataLoader(TensorDataset(x_train, y_train), batch_size=32, shuffle=True)
test_loader = DataLoader(TensorDataset(x_test, y_test), batch_size=32)
net = nn.Sequential(nn.Linear(20, 64), nn.BatchNorm1d(64), nn.ReLU(), nn.Dropout(0.5), nn.Linear(64, 3))
opt = torch.optim.Adam(net.parameters(), lr=1e-3)
for epoch in range(10):
    for x, y in train_loader:
        opt.zero_grad()
        loss = nn.functional.cross_entropy(net(x), y)
        loss.backward()
        opt.step()

correct = total = 0
with torch.no_grad():
    for x, y in test_loader:
        correct += (net(x).argmax(1) == y).sum().item()  # train-mode-eval
        total += len(y)
print(correct / total)
