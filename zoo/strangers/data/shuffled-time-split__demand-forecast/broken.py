"""
Day-ahead electricity demand: MLP on lagged windows, scikit-learn style torch regressor.
"""
import copy

import numpy as np
import torch
import torch.nn as nn
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.metrics import mean_absolute_error, r2_score
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler

WINDOW, HORIZON = 36, 24


def demand_series(n_hours, rng):
    t = np.arange(n_hours)
    daily = 6 * np.sin(2 * np.pi * t / 24 - 1.2) + 2 * np.sin(4 * np.pi * t / 24)
    weekend = np.where((t // 24) % 7 >= 5, -8.0, 0.0)
    weather = np.zeros(n_hours)
    for i in range(1, n_hours):
        weather[i] = 0.985 * weather[i - 1] + rng.normal(0, 0.75)
    return t, 50 + daily + weekend + weather + rng.normal(0, 0.3, n_hours)


def windows(t, s):
    """Past 36 hours + calendar -> mean demand over the coming 24 hours."""
    X, y = [], []
    for i in range(WINDOW, len(s) - HORIZON):
        hour, dow = t[i] % 24, (t[i] // 24) % 7
        cal = [np.sin(2 * np.pi * hour / 24), np.cos(2 * np.pi * hour / 24)] + [float(dow == k) for k in range(7)]
        X.append(np.concatenate([s[i - WINDOW:i], cal]))
        y.append(s[i:i + HORIZON].mean())
    return np.asarray(X, np.float32), np.asarray(y, np.float32)


class TorchMLPRegressor(BaseEstimator, RegressorMixin):
    def __init__(self, hidden=128, max_epochs=60, patience=10, lr=1e-3, batch_size=64, seed=0):
        self.hidden = hidden
        self.max_epochs = max_epochs
        self.patience = patience
        self.lr = lr
        self.batch_size = batch_size
        self.seed = seed

    def _mse(self, X, z):
        self.net_.eval()
        with torch.no_grad():
            return nn.functional.mse_loss(self.net_(X).squeeze(1), z).item()

    def fit(self, X, y, X_val, y_val):
        torch.manual_seed(self.seed)
        self.scaler_ = StandardScaler().fit(X)
        self.y_mean_, self.y_std_ = float(y.mean()), float(y.std())
        X, X_val = (torch.as_tensor(self.scaler_.transform(a), dtype=torch.float32) for a in (X, X_val))
        z, z_val = (torch.as_tensor((a - self.y_mean_) / self.y_std_) for a in (y, y_val))
        self.net_ = nn.Sequential(
            nn.Linear(X.shape[1], self.hidden), nn.ReLU(),
            nn.Linear(self.hidden, self.hidden), nn.ReLU(),
            nn.Linear(self.hidden, 1),
        )
        opt = torch.optim.AdamW(self.net_.parameters(), lr=self.lr)
        best, best_state, wait = float("inf"), None, 0
        for epoch in range(1, self.max_epochs + 1):
            self.net_.train()
            total = 0.0
            for idx in torch.randperm(len(X)).split(self.batch_size):
                loss = nn.functional.mse_loss(self.net_(X[idx]).squeeze(1), z[idx])
                opt.zero_grad()
                loss.backward()
                opt.step()
                total += loss.item() * len(idx)
            val = self._mse(X_val, z_val)
            print(f"    epoch {epoch:3d}  train mse {total / len(X):.4f}  val mse {val:.4f}")
            if val < best:
                best, best_state, wait = val, copy.deepcopy(self.net_.state_dict()), 0
            else:
                wait += 1
                if wait == self.patience:
                    break
        self.net_.load_state_dict(best_state)
        return self

    @torch.no_grad()
    def predict(self, X):
        self.net_.eval()
        out = self.net_(torch.as_tensor(self.scaler_.transform(X), dtype=torch.float32)).squeeze(1).numpy()
        return out * self.y_std_ + self.y_mean_


def hold_out(X, y, size):
    X_fit, X_out, y_fit, y_out = train_test_split(X, y, test_size=size, random_state=7)
    return X_fit, X_out, y_fit, y_out


def evaluate(name, model, X, y):
    p = model.predict(X)
    print(f"{name:<6} MAE {mean_absolute_error(y, p):.3f}  R2 {r2_score(y, p):.3f}  (n={len(y)})")


def main():
    rng = np.random.default_rng(7)
    t, s = demand_series(5000, rng)
    X, y = windows(t, s)
    print(f"{len(X)} windows, target mean {y.mean():.2f} sd {y.std():.2f}")
    X_train, X_test, y_train, y_test = hold_out(X, y, 0.2)
    X_train, X_val, y_train, y_val = hold_out(X_train, y_train, 0.2)
    model = TorchMLPRegressor().fit(X_train, y_train, X_val, y_val)
    for name, a, b in (("train", X_train, y_train), ("val", X_val, y_val), ("test", X_test, y_test)):
        evaluate(name, model, a, b)


if __name__ == "__main__":
    main()
