"""Regression with stochastic weight averaging and Monte-Carlo dropout intervals."""
import numpy as np
import torch
import torch.nn as nn
from torch.optim.swa_utils import SWALR, AveragedModel, update_bn
from torch.utils.data import DataLoader, TensorDataset


def concrete(n, rng):
    x = rng.uniform(size=(n, 6)) * [400, 200, 90, 60, 300, 28] + [100, 0, 120, 2, 700, 1]
    binder = x[:, 0] + 0.6 * x[:, 1]
    y = 14 * binder / x[:, 2] * np.log1p(x[:, 5]) / np.log(29) + 0.1 * x[:, 3] + 0.006 * (x[:, 4] - 850)
    return x.astype(np.float32), (y + rng.normal(0, 2.0, n)).astype(np.float32)


class Regressor(nn.Module):
    def __init__(self, n_in, width=64, p=0.05):
        super().__init__()
        self.inp = nn.Linear(n_in, width, bias=False)
        self.bn = nn.BatchNorm1d(width)
        self.mid = nn.Linear(width, width)
        self.drop = nn.Dropout(p)
        self.mean, self.log_sd = nn.Linear(width, 1), nn.Linear(width, 1)

    def forward(self, x):
        h = torch.relu(self.bn(self.inp(x)))
        h = h + self.drop(torch.relu(self.mid(h)))
        return self.mean(h).squeeze(1), self.log_sd(h).squeeze(1).clamp(-4, 1)


def nll(pred, y):
    mean, log_sd = pred
    return (0.5 * ((y - mean) / log_sd.exp()) ** 2 + log_sd).mean()


def enable_dropout(model):
    for m in model.modules():
        if isinstance(m, nn.Dropout):
            m.train()


@torch.no_grad()
def mc_predict(model, x, passes=40):
    model.eval()
    enable_dropout(model)
    means, sds = zip(*(model(x) for _ in range(passes)))
    means, sds = torch.stack(means), torch.stack(sds).exp()
    model.eval()
    return means.mean(0), (means.var(0) + sds.pow(2).mean(0)).sqrt()


def main():
    torch.manual_seed(10)
    x, y = concrete(5000, np.random.default_rng(10))
    n = 4000
    mx, sx, my, sy = x[:n].mean(0), x[:n].std(0), y[:n].mean(), y[:n].std()
    x, y = torch.from_numpy((x - mx) / sx), torch.from_numpy((y - my) / sy)
    loader = DataLoader(TensorDataset(x[:n], y[:n]), batch_size=100, shuffle=True, drop_last=True)

    model = Regressor(x.shape[1])
    averaged = AveragedModel(model)
    opt = torch.optim.Adam(model.parameters(), lr=4e-3)
    swa_start, epochs = 16, 26
    warm = torch.optim.lr_scheduler.CosineAnnealingLR(opt, swa_start, eta_min=5e-4)
    swa_sched = SWALR(opt, swa_lr=8e-4, anneal_epochs=2)
    for epoch in range(epochs):
        model.train()
        total = 0.0
        for xb, yb in loader:
            loss = nll(model(xb), yb)
            opt.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), 5.0)
            opt.step()
            total += loss.item()
        if epoch >= swa_start:
            averaged.update_parameters(model)
            swa_sched.step()
        else:
            warm.step()
        if epoch % 4 == 1:
            model.eval()
            with torch.no_grad():
                mean, _ = model(x[n:])
            print(f"epoch {epoch:2d}  nll {total / len(loader):+.4f}  test rmse {(mean - y[n:]).pow(2).mean().sqrt() * sy:.3f}")
    update_bn(loader, averaged)
    mean, sd = mc_predict(averaged, x[n:])
    err = mean - y[n:]
    print(f"SWA + MC dropout: rmse {err.pow(2).mean().sqrt() * sy:.3f} (noise 2.0, spread {sy:.2f}), 90% interval covers {(err.abs() < 1.645 * sd).float().mean():.3f}")


if __name__ == "__main__":
    main()
