# Used-car price bands: one net, three quantiles (pinball loss), prices modelled on the log scale.
import click
import numpy as np
import pandas as pd
import torch
from torch import nn

QUANTILES = torch.tensor([0.1, 0.5, 0.9])


def listings(n, seed):
    g = np.random.default_rng(seed)
    brand = g.integers(0, 8, n)
    age = g.gamma(2.5, 2.6, n)
    km = age * g.gamma(6.0, 2200, n)
    power = g.normal(95, 26, n).clip(40, 240) + 9 * (brand > 5)
    diesel = g.integers(0, 2, n)
    owners = 1 + g.poisson(0.18 * age)
    base = np.array([9.4, 9.5, 9.55, 9.6, 9.7, 9.85, 10.0, 10.25])[brand]
    log_price = (base - 0.105 * age - 2.2e-6 * km + 0.006 * (power - 95) + 0.05 * diesel
                 - 0.05 * (owners - 1) + g.normal(0, 0.22, n))
    price = np.exp(log_price).round(-1)
    df = pd.DataFrame(dict(brand=brand, age=age, km=km, power=power, diesel=diesel, owners=owners))
    df["vat"] = g.choice([0, 1], n)
    df["price"] = price
    df["log_price"] = np.log(price)
    df["photos"] = g.poisson(9, n)
    df["listing_weekday"] = g.integers(0, 7, n)
    return df


def prepare(df, seed):
    df = pd.get_dummies(df, columns=["brand", "listing_weekday"], dtype=float)
    y = df["log_price"].to_numpy()
    features = df.drop(columns=["log_price"])
    g = np.random.default_rng(seed)
    is_test = g.uniform(size=len(df)) < 0.25
    X = features.to_numpy(float)
    m, s = X[~is_test].mean(0), X[~is_test].std(0) + 1e-8
    X = (X - m) / s
    ym, ys = y[~is_test].mean(), y[~is_test].std()
    t = lambda a: torch.tensor(a, dtype=torch.float32)
    return t(X[~is_test]), t((y[~is_test] - ym) / ys), t(X[is_test]), t(y[is_test]), ym, ys


def pinball(pred, y):
    err = y.unsqueeze(1) - pred
    return torch.maximum(QUANTILES * err, (QUANTILES - 1) * err).mean()


class QuantileNet(nn.Module):
    """Median plus non-negative offsets, so the three bands never cross."""

    def __init__(self, d):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(d, 64), nn.SiLU(), nn.Linear(64, 32), nn.SiLU())
        self.median = nn.Linear(32, 1)
        self.gaps = nn.Linear(32, 2)

    def forward(self, x):
        h = self.body(x)
        mid = self.median(h)
        down, up = nn.functional.softplus(self.gaps(h)).split(1, dim=1)
        return torch.cat([mid - down, mid, mid + up], dim=1)


@click.command()
@click.option("--rows", default=8000)
@click.option("--epochs", default=14)
@click.option("--batch", default=128)
@click.option("--lr", default=2e-3)
@click.option("--seed", default=5)
def main(rows, epochs, batch, lr, seed):
    torch.manual_seed(seed)
    x, y, x_test, y_test, ym, ys = prepare(listings(rows, seed), seed)
    click.echo(f"{len(x)} training rows, {len(x_test)} test rows, {x.shape[1]} features")
    net = QuantileNet(x.shape[1])
    opt = torch.optim.AdamW(net.parameters(), lr=lr, weight_decay=1e-2)
    sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, epochs)
    for epoch in range(epochs):
        net.train()
        tot = 0.0
        for idx in torch.randperm(len(x)).split(batch):
            loss = pinball(net(x[idx]), y[idx])
            opt.zero_grad(set_to_none=True)
            loss.backward()
            opt.step()
            tot += loss.item() * len(idx)
        sched.step()
        net.eval()
        with torch.no_grad():
            q = net(x_test) * ys + ym
        inside = ((y_test >= q[:, 0]) & (y_test <= q[:, 2])).float().mean().item()
        mape = ((q[:, 1].exp() - y_test.exp()).abs() / y_test.exp()).median().item()
        r2 = 1 - ((q[:, 1] - y_test) ** 2).sum().item() / ((y_test - y_test.mean()) ** 2).sum().item()
        click.echo(f"epoch {epoch:02d} pinball {tot / len(x):.4f} | test R2 {r2:.4f} median APE {mape:.3%} 80% band covers {inside:.1%}")


if __name__ == "__main__":
    main()
