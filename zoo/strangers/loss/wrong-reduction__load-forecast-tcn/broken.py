import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

SEED = 11
CONTEXT = 48
HORIZON = 12
BATCH = 64
EPOCHS = 8

torch.manual_seed(SEED)


def synth_load(hours, generator):
    """Hourly electricity-like load: daily and weekly rhythm plus an AR(1) weather term."""
    t = torch.arange(hours, dtype=torch.float32)
    daily = torch.sin(2 * torch.pi * t / 24) + 0.4 * torch.sin(4 * torch.pi * t / 24 + 0.7)
    weekly = 0.5 * torch.cos(2 * torch.pi * t / 168)
    eps = torch.randn(hours, generator=generator) * 0.12
    weather = torch.zeros(hours)
    for i in range(1, hours):
        weather[i] = 0.95 * weather[i - 1] + eps[i]
    return 40.0 + 9.0 * (daily * (1 + 0.3 * weekly) + weekly + weather)


def windows(series):
    full = series.unfold(0, CONTEXT + HORIZON, 1)
    return full[:, :CONTEXT].unsqueeze(1).contiguous(), full[:, CONTEXT:].contiguous()


class CausalConv(nn.Module):
    def __init__(self, c_in, c_out, dilation, kernel=3):
        super().__init__()
        self.pad = (kernel - 1) * dilation
        self.conv = nn.Conv1d(c_in, c_out, kernel, dilation=dilation)
        self.skip = nn.Conv1d(c_in, c_out, 1) if c_in != c_out else nn.Identity()

    def forward(self, x):
        y = torch.relu(self.conv(nn.functional.pad(x, (self.pad, 0))))
        return y + self.skip(x)


class TCN(nn.Module):
    def __init__(self, width=16):
        super().__init__()
        dims = [1] + [width] * 5
        self.blocks = nn.Sequential(*[CausalConv(a, b, 2 ** i) for i, (a, b) in enumerate(zip(dims, dims[1:]))])
        self.norm = nn.LayerNorm(width)
        self.head = nn.Linear(width, HORIZON)

    def forward(self, x):
        return self.head(self.norm(self.blocks(x)[:, :, -1]))


gen = torch.Generator().manual_seed(SEED)
series = synth_load(24 * 7 * 30, gen)

# chronological split: 70 % train, 15 % validation, 15 % test
n = len(series)
a, b = int(0.70 * n), int(0.85 * n)
mu, sd = series[:a].mean(), series[:a].std()
scaled = (series - mu) / sd
train_x, train_y = windows(scaled[:a])
val_x, val_y = windows(scaled[a:b])
test_x, test_y = windows(scaled[b:])

loader = DataLoader(TensorDataset(train_x, train_y), batch_size=BATCH, shuffle=True, drop_last=True)

net = TCN()
criterion = nn.MSELoss(reduction="sum")
optimizer = torch.optim.SGD(net.parameters(), lr=0.03, momentum=0.9, nesterov=True, weight_decay=1e-5)
scheduler = torch.optim.lr_scheduler.OneCycleLR(
    optimizer, max_lr=0.03, total_steps=EPOCHS * len(loader), pct_start=0.15
)


def mae(x, y):
    net.eval()
    with torch.no_grad():
        return ((net(x) - y).abs().mean() * sd).item()


print(f"train windows {len(train_x)}, val {len(val_x)}, test {len(test_x)}")
naive = ((test_x[:, 0, CONTEXT - 24:CONTEXT - 24 + HORIZON] - test_y).abs().mean() * sd).item()

for epoch in range(EPOCHS):
    net.train()
    running = 0.0
    for xb, yb in loader:
        optimizer.zero_grad()
        loss = criterion(net(xb), yb)
        loss.backward()
        optimizer.step()
        scheduler.step()
        running += loss.item()
    print(f"epoch {epoch + 1:2d}  train loss {running / len(loader):.4f}  val MAE {mae(val_x, val_y):.3f} MW")

print(f"test MAE {mae(test_x, test_y):.3f} MW   (same hour yesterday: {naive:.3f} MW)")
