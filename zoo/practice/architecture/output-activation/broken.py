import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset


class Forecaster(nn.Module):
    def __init__(self, window=24, hidden=32):
        super().__init__()
        self.inp = nn.Linear(window, hidden)
        self.mid = nn.Linear(hidden, hidden)
        self.out = nn.Linear(hidden, 1)

    def forward(self, x):
        x = torch.relu(self.inp(x))
        x = torch.relu(self.mid(x))
        return torch.relu(self.out(x))


torch.manual_seed(39)
t = torch.arange(1500.0)
anomaly = torch.sin(t / 9) + 0.4 * torch.sin(t / 3.1) + 0.1 * torch.randn(1500)
win = anomaly.unfold(0, 25, 1)
X, y = win[:, :24], win[:, 24:]
train = DataLoader(TensorDataset(X[:1100], y[:1100]), batch_size=50, shuffle=True)
model = Forecaster()
opt = torch.optim.Adam(model.parameters(), lr=2e-3)
mse = nn.MSELoss()
for ep in range(20):
    tot = 0.0
    for xb, yb in train:
        opt.zero_grad()
        loss = mse(model(xb), yb)
        loss.backward()
        opt.step()
        tot += loss.item()
    if ep % 5 == 4:
        print(f"epoch {ep + 1}: {tot / len(train):.4f}")
with torch.no_grad():
    e = mse(model(X[1150:]), y[1150:]) / y[1150:].var()
print(f"forecast skill {1 - e.item():.3f}")
