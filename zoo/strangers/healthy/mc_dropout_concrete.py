"""Concrete strength with predictive uncertainty: Gaussian NLL, Monte-Carlo dropout kept on when predicting."""
import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


def mixes(n, seed):
    r = np.random.default_rng(seed)
    cement, water, age = r.uniform(150, 500, n), r.uniform(130, 230, n), r.choice([3, 7, 14, 28, 56, 90], n)
    slag, plast = r.uniform(0, 250, n), r.uniform(0, 20, n)
    ratio = (cement + 0.5 * slag) / water
    strength = 14 * ratio * np.log1p(age) / np.log(29) + 0.35 * plast
    return np.stack([cement, water, slag, plast, np.log(age)], 1), strength + r.normal(0, 1.0 + 0.04 * strength)


class Net(nn.Module):
    def __init__(self, p=0.05):
        super().__init__()
        self.trunk = nn.Sequential(nn.Linear(5, 64), nn.ReLU(), nn.Dropout(p), nn.Linear(64, 64), nn.ReLU(), nn.Dropout(p))
        self.mean, self.log_var = nn.Linear(64, 1), nn.Linear(64, 1)

    def forward(self, x):
        h = self.trunk(x)
        return self.mean(h).squeeze(1), self.log_var(h).squeeze(1).clamp(-6, 3)


def nll(mean, log_var, y):
    return 0.5 * (log_var + (y - mean) ** 2 * torch.exp(-log_var)).mean()


@torch.no_grad()
def mc_predict(model, x, draws=30):
    model.eval()
    for m in model.modules():
        if isinstance(m, nn.Dropout):
            m.train()
    means, variances = zip(*[(m, v.exp()) for m, v in (model(x) for _ in range(draws))])
    means, variances = torch.stack(means), torch.stack(variances)
    return means.mean(0), (means.var(0) + variances.mean(0)).sqrt()


def main():
    torch.manual_seed(1)
    X, y = mixes(4000, 1)
    Xt, yt = mixes(800, 2)
    mu, sd, ym, ys = X.mean(0), X.std(0), y.mean(), y.std()
    f = lambda a: torch.tensor(a, dtype=torch.float32)
    loader = DataLoader(TensorDataset(f((X - mu) / sd), f((y - ym) / ys)), batch_size=64, shuffle=True)
    x_test, y_test = f((Xt - mu) / sd), f(yt)

    model = Net()
    opt = torch.optim.Adam(model.parameters(), lr=2e-3)
    sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, T_max=20)
    for epoch in range(20):
        model.train()
        total, n = 0.0, 0
        for xb, yb in loader:
            mean, log_var = model(xb)
            loss = nll(mean, log_var, yb)
            opt.zero_grad()
            loss.backward()
            opt.step()
            total, n = total + loss.item() * len(xb), n + len(xb)
        sched.step()
        if epoch % 3 == 1:
            m, s = mc_predict(model, x_test)
            m, s = m * ys + ym, s * ys
            cover = ((y_test - m).abs() < 1.645 * s).float().mean().item()
            r2 = 1 - ((m - y_test) ** 2).sum().item() / ((y_test - y_test.mean()) ** 2).sum().item()
            print(f"epoch {epoch:2d}  nll {total / n:+.4f}  test R2 {r2:.4f}  90% interval covers {cover:.3f}")


if __name__ == "__main__":
    main()
