import math
import torch
from torch import nn

torch.manual_seed(60)
month = torch.arange(0, 480.0)
ppm = 380 + 0.08 * (month - 240) + 4 * torch.sin(2 * math.pi * month / 12) + 0.5 * torch.randn(480)
year = (month - 240) / 140
season = torch.stack([torch.sin(2 * math.pi * month / 12), torch.cos(2 * math.pi * month / 12)], 1)
X = torch.cat([year[:, None], season], 1)
pick = torch.randperm(480)
train, test = pick[:380], pick[380:]


class CO2(nn.Module):
    def __init__(self, hidden=32):
        super().__init__()
        self.hidden = nn.Linear(3, hidden)
        self.out = nn.Linear(hidden, 1)

    def forward(self, x):
        return self.out(torch.tanh(self.hidden(x))).squeeze(-1)


model = CO2()
opt = torch.optim.Adam(model.parameters(), lr=1e-2)
for step in range(1, 701):
    k = train[torch.randint(0, len(train), (48,))]
    loss = nn.functional.mse_loss(model(X[k]), ppm[k])
    opt.zero_grad()
    loss.backward()
    opt.step()
    if step % 100 == 0:
        print(f"step {step} mse {loss.item():.3f}")
with torch.no_grad():
    r2 = 1 - (model(X[test]) - ppm[test]).pow(2).mean() / ppm[test].var()
print(f"test R2 {r2.item():.3f}")
