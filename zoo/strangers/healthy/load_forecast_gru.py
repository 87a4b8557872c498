import numpy as np
import torch
import torch.nn as nn

np.random.seed(4)
torch.manual_seed(4)

# 300 days of hourly electricity load (made up), predict the next hour from the last two days
HOURS, WINDOW = 24 * 300, 48
t = np.arange(HOURS)
daily = np.sin(2 * np.pi * t / 24) + 0.4 * np.sin(4 * np.pi * t / 24 + 1)
weekly = np.where((t // 24) % 7 >= 5, -0.8, 0.3)
weather = np.zeros(HOURS)
for k in range(1, HOURS):
    weather[k] = 0.95 * weather[k - 1] + 0.12 * np.random.randn()
load = 500 + 80 * (daily + weekly + weather) + 8 * np.random.randn(HOURS)

# past -> future split, statistics from the past only
cut_val, cut_test = int(HOURS * 0.7), int(HOURS * 0.85)
mean, std = load[:cut_val].mean(), load[:cut_val].std()
z = ((load - mean) / std).astype("float32")


def windows(series):
    w = np.lib.stride_tricks.sliding_window_view(series, WINDOW + 1)
    return torch.tensor(w[:, :-1].copy()).unsqueeze(-1), torch.tensor(w[:, -1].copy())


xtr, ytr = windows(z[:cut_val])
xva, yva = windows(z[cut_val:cut_test])
xte, yte = windows(z[cut_test:])
print("windows:", len(xtr), len(xva), len(xte))


class Forecaster(nn.Module):
    def __init__(self):
        super().__init__()
        self.rnn = nn.GRU(1, 24, batch_first=True)
        self.fc = nn.Linear(24, 1)

    def forward(self, x):
        out, _ = self.rnn(x)
        # predict the change against the last known value
        return x[:, -1, 0] + self.fc(out[:, -1]).squeeze(-1)


net = Forecaster()
epochs, bs = 9, 128
steps = epochs * ((len(xtr) + bs - 1) // bs)
opt = torch.optim.Adam(net.parameters(), lr=8e-3)
sched = torch.optim.lr_scheduler.OneCycleLR(opt, max_lr=8e-3, total_steps=steps)
mse = nn.MSELoss()


def evaluate(x, y):
    net.eval()
    with torch.no_grad():
        return mse(net(x), y).item()


for epoch in range(epochs):
    net.train()
    perm = torch.randperm(len(xtr))
    total = 0
    for start in range(0, len(xtr), bs):
        idx = perm[start:start + bs]
        opt.zero_grad()
        loss = mse(net(xtr[idx]), ytr[idx])
        loss.backward()
        nn.utils.clip_grad_norm_(net.parameters(), 5.0)
        opt.step()
        sched.step()          # OneCycle goes batch by batch
        total += loss.item() * len(idx)
    print(f"epoch {epoch}: train {total / len(xtr):.4f}  val {evaluate(xva, yva):.4f}")

naive = mse(xte[:, -1, 0], yte).item()
final = evaluate(xte, yte)
print(f"test mse {final:.4f}, last-value baseline {naive:.4f}, skill {1 - final / naive:.2f}, "
      f"rmse {final ** 0.5 * std:.1f} MW")
