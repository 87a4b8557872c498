"""Regression on the Friedman benchmark with a plain multilayer perceptron."""

from dataclasses import dataclass

import torch
from sklearn.datasets import make_friedman1
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


@dataclass
class Settings:
    hidden: tuple = (64, 64)
    epochs: int = 24
    batch_size: int = 64
    lr: float = 3e-3
    seed: int = 21


class MLP(nn.Module):
    def __init__(self, n_in, hidden):
        super().__init__()
        dims = [n_in, *hidden, 1]
        layers = []
        for a, b in zip(dims[:-1], dims[1:]):
            layers += [nn.Linear(a, b), nn.ReLU()]
        self.net = nn.Sequential(*layers)

    def forward(self, x):
        return self.net(x).squeeze(-1)


def load(settings):
    X, y = make_friedman1(n_samples=4000, n_features=10, noise=0.5, random_state=settings.seed)
    X_tr, X_te, y_tr, y_te = train_test_split(X, y, test_size=0.25, random_state=settings.seed)
    x_scaler = StandardScaler().fit(X_tr)
    y_scaler = StandardScaler().fit(y_tr[:, None])

    def prepare(X, y):
        xs = torch.tensor(x_scaler.transform(X), dtype=torch.float32)
        ys = torch.tensor(y_scaler.transform(y[:, None])[:, 0], dtype=torch.float32)
        return TensorDataset(xs, ys)

    return prepare(X_tr, y_tr), prepare(X_te, y_te)


def r2_score(model, dataset):
    x, y = dataset.tensors
    model.eval()
    with torch.no_grad():
        residual = ((model(x) - y) ** 2).sum()
    return 1 - (residual / ((y - y.mean()) ** 2).sum()).item()


def run(settings):
    torch.manual_seed(settings.seed)
    train_set, test_set = load(settings)
    loader = DataLoader(train_set, batch_size=settings.batch_size, shuffle=True)
    model = MLP(10, settings.hidden)
    mse = nn.MSELoss()
    opt = torch.optim.Adam(model.parameters(), lr=settings.lr)
    sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, T_max=settings.epochs)

    for epoch in range(settings.epochs):
        model.train()
        losses = []
        for xb, yb in loader:
            loss = mse(model(xb), yb)
            opt.zero_grad()
            loss.backward()
            opt.step()
            losses.append(loss.item())
        sched.step()
        if (epoch + 1) % 6 == 0:
            print(f"epoch {epoch + 1:2d}: mse {sum(losses) / len(losses):.4f}")

    print(f"test R2 = {r2_score(model, test_set):.3f}")


if __name__ == "__main__":
    run(Settings())
