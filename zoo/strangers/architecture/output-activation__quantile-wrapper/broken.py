"""Quantile regression of next-day temperature anomaly with a scikit-learn style estimator around torch."""
import numpy as np
import torch
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from torch import nn


def mlp(sizes, act=nn.ReLU):
    layers = []
    for i, (a, b) in enumerate(zip(sizes[:-1], sizes[1:])):
        layers += [nn.Linear(a, b), act()]
    return nn.Sequential(*layers)


class TorchQuantileRegressor(RegressorMixin, BaseEstimator):
    def __init__(self, quantiles=(0.1, 0.5, 0.9), hidden=(48, 48), lr=3e-3, epochs=25, batch_size=128, random_state=0, verbose=0):
        self.quantiles = quantiles
        self.hidden = hidden
        self.lr = lr
        self.epochs = epochs
        self.batch_size = batch_size
        self.random_state = random_state
        self.verbose = verbose

    def _pinball(self, pred, y):
        q = torch.tensor(self.quantiles)
        diff = y[:, None] - pred
        return torch.maximum(q * diff, (q - 1) * diff).sum(1).mean()

    def fit(self, X, y):
        torch.manual_seed(self.random_state)
        X = torch.as_tensor(np.asarray(X), dtype=torch.float32)
        y = np.asarray(y)
        self.y_mean_, self.y_std_ = float(y.mean()), float(y.std())
        t = torch.as_tensor((y - self.y_mean_) / self.y_std_, dtype=torch.float32)

        self.module_ = mlp([X.shape[1], *self.hidden, len(self.quantiles)])
        opt = torch.optim.Adam(self.module_.parameters(), lr=self.lr)
        sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, self.epochs)
        self.history_ = []
        for epoch in range(self.epochs):
            self.module_.train()
            total = 0.0
            for idx in torch.randperm(len(X)).split(self.batch_size):
                loss = self._pinball(self.module_(X[idx]), t[idx])
                opt.zero_grad()
                loss.backward()
                opt.step()
                total += loss.item() * len(idx)
            sched.step()
            self.history_.append(total / len(X))
            if self.verbose and epoch % self.verbose == 0:
                print(f"  epoch {epoch:3d}  pinball {self.history_[-1]:.4f}")
        return self

    def predict_quantiles(self, X):
        self.module_.eval()
        with torch.no_grad():
            out = self.module_(torch.as_tensor(np.asarray(X), dtype=torch.float32)).numpy()
        return np.sort(out, axis=1) * self.y_std_ + self.y_mean_

    def predict(self, X):
        return self.predict_quantiles(X)[:, len(self.quantiles) // 2]


def weather(n, rng):
    pressure = rng.normal(1013, 9, n)
    wind = rng.gamma(2.0, 3.0, n)
    humidity = rng.uniform(25, 100, n)
    today = rng.normal(0, 4, n)
    season = rng.uniform(0, 2 * np.pi, n)
    mean = 0.65 * today + 0.12 * (pressure - 1013) - 1.5 * np.sin(season) * (humidity - 60) / 20
    spread = 0.4 + 0.15 * wind
    y = mean + spread * rng.normal(size=n)
    return np.column_stack([pressure, wind, humidity, today, np.sin(season), np.cos(season)]), y


def main():
    X, y = weather(6000, np.random.default_rng(17))
    X_train, X_test, y_train, y_test = train_test_split(X, y, test_size=0.25, random_state=17)
    est = make_pipeline(StandardScaler(), TorchQuantileRegressor(verbose=4))
    est.fit(X_train, y_train)

    q = est[-1].predict_quantiles(est[:-1].transform(X_test))
    for k, level in enumerate(est[-1].quantiles):
        print(f"nominal {level:.2f}   share of outcomes below {np.mean(y_test <= q[:, k]):.3f}")
    print(f"median forecast: R2 {est.score(X_test, y_test):.3f}  MAE {np.abs(y_test - q[:, 1]).mean():.3f}"
          f"   climatology MAE {np.abs(y_test - np.median(y_train)).mean():.3f}")


if __name__ == "__main__":
    main()
