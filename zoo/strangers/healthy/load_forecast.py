"""Day-ahead load forecast for one substation. Only the last line is printed."""
import numpy as np
import torch
import torch.nn as nn
from torch.optim.swa_utils import SWALR, AveragedModel
from torch.utils.data import DataLoader, Dataset

np.random.seed(2)
torch.manual_seed(2)

HOURS = 24 * 420
LOOKBACK, AHEAD = 168, 24


def simulate():
    t = np.arange(HOURS)
    hour, dow = t % 24, (t // 24) % 7
    yearly = np.cos(2 * np.pi * (t / 24 - 15) / 365)
    weather = np.zeros(HOURS)
    shock = np.random.normal(0, 0.35, HOURS)
    for i in range(1, HOURS):
        weather[i] = 0.985 * weather[i - 1] + shock[i]
    temp = 11 - 9 * yearly + 4 * np.sin(2 * np.pi * (hour - 9) / 24) + 1.6 * weather
    work = np.where(dow < 5, 1.0, 0.62)
    shape = 0.5 * np.exp(-0.5 * ((hour - 8) / 2.2) ** 2) + 0.8 * np.exp(-0.5 * ((hour - 19) / 2.8) ** 2)
    noise = np.zeros(HOURS)
    e = np.random.normal(0, 0.5, HOURS)
    for i in range(1, HOURS):
        noise[i] = 0.8 * noise[i - 1] + e[i]
    load = 30 + 14 * work * shape + 0.55 * np.maximum(0, 16 - temp) + 0.7 * np.maximum(0, temp - 22) + noise
    forecast_temp = temp + np.random.normal(0, 0.8, HOURS)      # what the weather service announced
    return t, load, forecast_temp


def calendar(t):
    h, d = 2 * np.pi * (t % 24) / 24, (t // 24) % 7
    return np.stack([np.sin(h), np.cos(h), np.sin(2 * h), np.cos(2 * h), (d >= 5).astype(float)], 1)


class DayAhead(Dataset):
    def __init__(self, origins, load, temp, cal):
        self.o, self.load, self.temp, self.cal = origins, load, temp, cal

    def __len__(self):
        return len(self.o)

    def __getitem__(self, i):
        k = self.o[i]
        past = self.load[k - LOOKBACK:k]
        future = torch.cat([self.temp[k:k + AHEAD, None], self.cal[k:k + AHEAD]], 1)
        return past, future, self.load[k:k + AHEAD]


class Forecaster(nn.Module):
    def __init__(self, h=64):
        super().__init__()
        self.past = nn.Sequential(nn.Linear(LOOKBACK, h), nn.ReLU(), nn.Dropout(0.1))
        self.future = nn.Sequential(nn.Linear(AHEAD * 6, h), nn.ReLU(), nn.Dropout(0.1))
        self.head = nn.Sequential(nn.Linear(2 * h, h), nn.ReLU(), nn.Linear(h, AHEAD))

    def forward(self, past, future):
        z = torch.cat([self.past(past), self.future(future.flatten(1))], 1)
        return past[:, -AHEAD:] + self.head(z)


def mae(model, loader, scale):
    model.eval()
    err, n = 0.0, 0
    with torch.no_grad():
        for past, future, y in loader:
            err += (model(past, future) - y).abs().sum().item()
            n += y.numel()
    return err / n * scale


t, load, temp = simulate()
a, b = int(0.7 * HOURS), int(0.85 * HOURS)
l_mu, l_sd, t_mu, t_sd = load[:a].mean(), load[:a].std(), temp[:a].mean(), temp[:a].std()
f32 = lambda v: torch.tensor(v, dtype=torch.float32)
series = f32((load - l_mu) / l_sd), f32((temp - t_mu) / t_sd), f32(calendar(t))

# an origin belongs to a period when all of its 24 target hours do
train = DayAhead(np.arange(LOOKBACK, a - AHEAD + 1, 3), *series)
val = DayAhead(np.arange(a, b - AHEAD + 1, 24), *series)
test = DayAhead(np.arange(b, HOURS - AHEAD + 1, 24), *series)
train_dl = DataLoader(train, batch_size=64, shuffle=True)
val_dl, test_dl = DataLoader(val, batch_size=64), DataLoader(test, batch_size=64)

model = Forecaster()
swa = AveragedModel(model)
opt = torch.optim.AdamW(model.parameters(), lr=2e-3, weight_decay=1e-3)
EPOCHS, SWA_FROM = 24, 16
cosine = torch.optim.lr_scheduler.CosineAnnealingLR(opt, SWA_FROM, eta_min=4e-4)
flat = SWALR(opt, swa_lr=4e-4, anneal_epochs=2)
for epoch in range(EPOCHS):
    model.train()
    for past, future, y in train_dl:
        opt.zero_grad()
        nn.functional.l1_loss(model(past, future), y).backward()
        opt.step()
    if epoch >= SWA_FROM:
        swa.update_parameters(model)
        flat.step()
    else:
        cosine.step()

chosen = swa if mae(swa, val_dl, l_sd) <= mae(model, val_dl, l_sd) else model
lag = lambda h: np.mean([np.abs(load[k:k + AHEAD] - load[k - h:k - h + AHEAD]).mean() for k in test.o])
print(f"test MAE {mae(chosen, test_dl, l_sd):.3f} MW (validation {mae(chosen, val_dl, l_sd):.3f}), "
      f"yesterday {lag(24):.3f}, last week {lag(168):.3f}")
