import torch
from torch import nn

torch.manual_seed(61)
DTYPE = torch.bfloat16


def curve(n, g=None):
    x = torch.rand(n, 3, generator=g) * 2 - 1
    y = torch.sin(3 * x[:, 0]) + x[:, 1] ** 2 - 0.7 * x[:, 2]
    return x, (y - 0.33) / 0.85


class Regressor(nn.Module):
    def __init__(self, h=128):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(3, h), nn.SiLU(), nn.Linear(h, h), nn.SiLU(), nn.Linear(h, 1))

    def forward(self, x):
        return self.net(x).squeeze(-1)


model = Regressor().to(DTYPE)
opt = torch.optim.Adam(model.parameters(), lr=8e-5)
x, y = curve(2000)
xe, ye = curve(500)
for epoch in range(1, 41):
    total = 0.0
    for i in torch.randperm(len(x)).split(64):
        with torch.autocast("cpu", dtype=DTYPE):
            out = model(x[i])
        loss = nn.functional.mse_loss(out.float(), y[i])
        opt.zero_grad()
        loss.backward()
        opt.step()
        total += loss.item() * len(i)
    if epoch % 8 == 0:
        print(f"epoch {epoch} mse {total / len(x):.4f}")
model.eval()
with torch.no_grad(), torch.autocast("cpu", dtype=DTYPE):
    pred = model(xe).float()
print(f"eval rmse {(pred - ye).pow(2).mean().sqrt().item():.4f}")
