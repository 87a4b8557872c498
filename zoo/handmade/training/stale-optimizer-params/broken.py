"""Cross-validated neural regression on Friedman's benchmark function."""

import numpy as np
import torch
from sklearn.datasets import make_friedman1
from sklearn.metrics import r2_score
from sklearn.model_selection import KFold
from sklearn.preprocessing import StandardScaler
from torch import nn


class NeuralRegressor:
    """fit / predict wrapper; every call of fit starts from fresh weights."""

    def __init__(self, n_features, hidden=48, lr=5e-3, epochs=30, batch_size=50):
        self.n_features = n_features
        self.hidden = hidden
        self.lr = lr
        self.epochs = epochs
        self.batch_size = batch_size
        self.loss_fn = nn.MSELoss()
        self.net = self._build()
        self.opt = torch.optim.Adam(self.net.parameters(), lr=self.lr)

    def _build(self):
        return nn.Sequential(
            nn.Linear(self.n_features, self.hidden),
            nn.Tanh(),
            nn.Linear(self.hidden, self.hidden // 2),
            nn.Tanh(),
            nn.Linear(self.hidden // 2, 1),
        )

    def fit(self, X, y):
        self.x_scaler = StandardScaler().fit(X)
        self.y_scaler = StandardScaler().fit(y[:, None])
        inputs = torch.as_tensor(self.x_scaler.transform(X), dtype=torch.float32)
        target = torch.as_tensor(self.y_scaler.transform(y[:, None]), dtype=torch.float32)

        self.net = self._build()
        self.history = []
        self.net.train()
        for _ in range(self.epochs):
            epoch_loss = 0.0
            for rows in torch.randperm(len(inputs)).split(self.batch_size):
                self.opt.zero_grad()
                loss = self.loss_fn(self.net(inputs[rows]), target[rows])
                loss.backward()
                self.opt.step()
                epoch_loss += loss.item() * len(rows)
            self.history.append(epoch_loss / len(inputs))
        return self

    def predict(self, X):
        self.net.eval()
        inputs = torch.as_tensor(self.x_scaler.transform(X), dtype=torch.float32)
        with torch.no_grad():
            scaled = self.net(inputs).numpy()
        return self.y_scaler.inverse_transform(scaled)[:, 0]


if __name__ == "__main__":
    torch.manual_seed(0)
    X, y = make_friedman1(n_samples=1200, n_features=7, noise=0.3, random_state=0)

    reg = NeuralRegressor(n_features=X.shape[1])
    scores = []
    folds = KFold(n_splits=4, shuffle=True, random_state=0)
    for k, (train_rows, test_rows) in enumerate(folds.split(X)):
        reg.fit(X[train_rows], y[train_rows])
        r2 = r2_score(y[test_rows], reg.predict(X[test_rows]))
        scores.append(r2)
        first, last = reg.history[0], reg.history[-1]
        print(f"fold {k}: loss {first:.3f} -> {last:.3f}, R2 {r2:.3f}")
    print(f"mean R2 over folds: {np.mean(scores):.3f} (std {np.std(scores):.3f})")
