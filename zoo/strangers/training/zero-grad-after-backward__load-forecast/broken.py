# Day-ahead desk: one-hour-ahead load forecast for a single substation.
import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

SEED = 3
WINDOW = 30
EPOCHS = 10
HOURS = 24 * 210


def make_series(seed):
    rng = np.random.default_rng(seed)
    t = np.arange(HOURS)
    daily = 18 * np.sin(2 * np.pi * (t - 7) / 24) + 7 * np.sin(4 * np.pi * t / 24 + 0.6)
    weekly = np.where((t // 24) % 7 >= 5, -14.0, 0.0)
    ar = np.zeros(HOURS)
    eps = rng.normal(0, 2.0, HOURS)
    for i in range(1, HOURS):
        ar[i] = 0.9 * ar[i - 1] + eps[i]
    return 140 + daily + weekly + ar


def windows(series):
    x = np.lib.stride_tricks.sliding_window_view(series, WINDOW + 1)
    x = torch.tensor(np.ascontiguousarray(x), dtype=torch.float32)
    return TensorDataset(x[:, :WINDOW, None], x[:, WINDOW:])


class LoadGRU(nn.Module):
    def __init__(self, width=32):
        super().__init__()
        self.rnn = nn.GRU(1, width, batch_first=True)
        self.head = nn.Linear(width, 1)

    def forward(self, x):
        out, _ = self.rnn(x)
        return self.head(out[:, -1])


class Trainer:
    def __init__(self, model, lr, max_norm, scale):
        self.model = model
        self.optimizer = torch.optim.AdamW(model.parameters(), lr=lr, weight_decay=1e-4)
        self.scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(self.optimizer, EPOCHS, eta_min=lr / 20)
        self.loss_fn = nn.MSELoss()
        self.max_norm = max_norm
        self.scale = scale

    def apply_update(self, loss):
        loss.backward()
        nn.utils.clip_grad_norm_(self.model.parameters(), self.max_norm)
        self.optimizer.zero_grad()
        self.optimizer.step()

    def fit_epoch(self, loader):
        self.model.train()
        total, count = 0.0, 0
        for x, y in loader:
            loss = self.loss_fn(self.model(x), y)
            self.apply_update(loss)
            total += loss.item() * len(x)
            count += len(x)
        self.scheduler.step()
        return total / count

    @torch.no_grad()
    def score(self, loader):
        self.model.eval()
        sq, count = 0.0, 0
        for x, y in loader:
            sq += ((self.model(x) - y) ** 2).sum().item()
            count += len(x)
        mse = sq / count
        return mse, self.scale * mse ** 0.5


if __name__ == "__main__":
    torch.manual_seed(SEED)
    torch.set_num_threads(1)
    load = make_series(SEED)
    c1, c2 = int(0.7 * HOURS), int(0.85 * HOURS)
    mu, sd = load[:c1].mean(), load[:c1].std()
    z = (load - mu) / sd
    shuffler = torch.Generator().manual_seed(SEED)
    train = DataLoader(windows(z[:c1]), batch_size=64, shuffle=True, generator=shuffler)
    valid = DataLoader(windows(z[c1:c2]), batch_size=256)
    test = DataLoader(windows(z[c2:]), batch_size=256)

    trainer = Trainer(LoadGRU(), lr=6e-3, max_norm=5.0, scale=sd)
    for epoch in range(EPOCHS):
        tr = trainer.fit_epoch(train)
        va, rmse = trainer.score(valid)
        print(f"[{epoch + 1:02d}] train mse {tr:.4f} | valid mse {va:.4f} | valid rmse {rmse:.2f} MW")
    _, rmse = trainer.score(test)
    print(f"std of load {sd:.2f} MW, test rmse {rmse:.2f} MW")
