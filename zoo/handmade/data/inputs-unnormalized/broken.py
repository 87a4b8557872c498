"""Predict from seven utility readings whether a heat pump will need service within a year."""

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(11)

n = 4000
age_days = torch.rand(n) * 5000
run_hours = 2000 + torch.rand(n) * 28000
energy_wh = 4e4 + 1.2e4 * torch.randn(n)
flow_lph = 900 + 150 * torch.randn(n)
supply_temp = 38 + 6 * torch.randn(n)
pressure_pa = 2.1e5 + 1.5e4 * torch.randn(n)
starts = torch.poisson(torch.full((n,), 1800.0))

features = torch.stack(
    [age_days, run_hours, energy_wh, flow_lph, supply_temp, pressure_pa, starts], dim=1
)
wear = (run_hours - 16000) / 8000 + (age_days - 2500) / 1500
stress = (supply_temp - 38) / 6 * (900 - flow_lph) / 150
drift = (pressure_pa - 2.1e5) / 1.5e4
score = wear + 1.5 * stress + drift + 0.5 * torch.randn(n)
service = (score > score.median()).long()

order = torch.randperm(n)
train_idx, val_idx, test_idx = order[:2800], order[2800:3400], order[3400:]

train_set = TensorDataset(features[train_idx], service[train_idx])
val_set = TensorDataset(features[val_idx], service[val_idx])
test_set = TensorDataset(features[test_idx], service[test_idx])

train_loader = DataLoader(train_set, batch_size=64, shuffle=True)
val_loader = DataLoader(val_set, batch_size=300)
test_loader = DataLoader(test_set, batch_size=300)

net = nn.Sequential(
    nn.Linear(7, 32),
    nn.ReLU(),
    nn.Linear(32, 32),
    nn.ReLU(),
    nn.Linear(32, 2),
)
crit = nn.CrossEntropyLoss()
opt = torch.optim.Adam(net.parameters(), lr=2e-3, weight_decay=1e-3)


def accuracy(loader):
    net.eval()
    hits, total = 0, 0
    with torch.no_grad():
        for xb, yb in loader:
            hits += (net(xb).argmax(dim=1) == yb).sum().item()
            total += len(yb)
    return hits / total


for epoch in range(20):
    net.train()
    running = 0.0
    for xb, yb in train_loader:
        opt.zero_grad()
        loss = crit(net(xb), yb)
        loss.backward()
        opt.step()
        running += loss.item() * len(yb)
    if epoch % 4 == 0:
        print(
            f"epoch {epoch:2d}  loss {running / len(train_set):.4f}  val {accuracy(val_loader):.3f}"
        )

print(f"test accuracy {accuracy(test_loader):.3f}")
