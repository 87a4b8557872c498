import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(41)


def plant(n):
    temp = 300 + 40 * torch.randn(n)
    pressure = 101000 + 9000 * torch.randn(n)
    flow = 2.5 + 0.6 * torch.randn(n)
    ph = 7 + 0.8 * torch.randn(n)
    a, b, c, d = (temp - 300) / 40, (pressure - 101000) / 9000, (flow - 2.5) / 0.6, (ph - 7) / 0.8
    y = torch.sin(1.5 * a) + b * c - 0.5 * d ** 2 + 0.05 * torch.randn(n)
    return TensorDataset(torch.stack([temp, pressure, flow, ph], 1), y)


class Surrogate(nn.Module):
    def __init__(self, width=64, depth=3):
        super().__init__()
        self.inp = nn.BatchNorm1d(4)
        layers, d = [], 4
        for _ in range(depth):
            layers += [nn.Linear(d, width), nn.BatchNorm1d(width), nn.ReLU()]
            d = width
        self.body = nn.Sequential(*layers, nn.Linear(d, 1))

    def forward(self, x):
        return self.body(self.inp(x)).squeeze(-1)


def r2(model, loader):
    model.eval()
    with torch.no_grad():
        p, t = zip(*[(model(x), y) for x, y in loader])
    p, t = torch.cat(p), torch.cat(t)
    return 1 - ((p - t) ** 2).sum().item() / ((t - t.mean()) ** 2).sum().item()


train_dl = DataLoader(plant(3000), batch_size=100, shuffle=True)
test_dl = DataLoader(plant(600), batch_size=200)
model = Surrogate()
opt = torch.optim.Adam(model.parameters(), lr=3e-3)
model.train()
print(f"untrained R2 {r2(model, test_dl):.3g}")
for epoch in range(1, 16):
    running = 0.0
    for x, y in train_dl:
        opt.zero_grad()
        loss = nn.functional.mse_loss(model(x), y)
        loss.backward()
        opt.step()
        running += loss.item()
    if epoch % 3 == 0:
        print(f"epoch {epoch} mse {running / len(train_dl):.4f}")
print(f"test R2 {r2(model, test_dl):.3f}")
