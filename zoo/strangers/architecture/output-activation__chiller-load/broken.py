import time

import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

from plant import FEATURES, TARGET, load_log

SEED = 21


class Regressor(nn.Module):
    def __init__(self, n_in, widths=(64, 64)):
        super().__init__()
        sizes = [n_in, *widths, 1]
        layers = []
        for a, b in zip(sizes[:-1], sizes[1:]):
            layers.append(nn.Linear(a, b))
            layers.append(nn.ReLU())
        self.body = nn.Sequential(*layers)

    def forward(self, x):
        return self.body(x).squeeze(-1)


class LoadModel:
    """fit / predict wrapper that keeps its own scaling"""

    def __init__(self, epochs=25, lr=1e-3, batch_size=64):
        self.epochs, self.lr, self.batch_size = epochs, lr, batch_size

    def _x(self, df):
        z = (df[FEATURES] - self.x_mean) / self.x_std
        return torch.tensor(z.to_numpy(), dtype=torch.float32)

    def fit(self, df, val):
        self.x_mean, self.x_std = df[FEATURES].mean(), df[FEATURES].std()
        self.y_mean, self.y_std = df[TARGET].mean(), df[TARGET].std()
        y = torch.tensor(((df[TARGET] - self.y_mean) / self.y_std).to_numpy(), dtype=torch.float32)
        loader = DataLoader(TensorDataset(self._x(df), y), batch_size=self.batch_size, shuffle=True)
        self.net = Regressor(len(FEATURES))
        opt = torch.optim.Adam(self.net.parameters(), lr=self.lr)
        sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, self.epochs)
        for epoch in range(1, self.epochs + 1):
            self.net.train()
            running = 0.0
            for xb, yb in loader:
                opt.zero_grad()
                loss = nn.functional.mse_loss(self.net(xb), yb)
                loss.backward()
                opt.step()
                running += loss.item() * len(xb)
            sched.step()
            print(f"epoch {epoch:3d}  mse {running / len(df):.4f}  val RMSE {rmse(self, val):6.2f} kW")
        return self

    def predict(self, df):
        self.net.eval()
        with torch.no_grad():
            return self.net(self._x(df)).numpy() * self.y_std + self.y_mean


def rmse(model, df):
    return float(np.sqrt(np.mean((model.predict(df) - df[TARGET].to_numpy()) ** 2)))


if __name__ == "__main__":
    torch.manual_seed(SEED)
    torch.set_num_threads(1)
    log = load_log()
    order = np.random.default_rng(SEED).permutation(len(log))
    train, val, test = (log.iloc[i] for i in np.split(order, [5600, 6800]))
    start = time.time()
    model = LoadModel().fit(train, val)
    resid = model.predict(test) - test[TARGET].to_numpy()
    r2 = 1 - (resid ** 2).sum() / ((test[TARGET] - test[TARGET].mean()) ** 2).sum()
    print(f"done in {time.time() - start:.1f}s")
    print(f"test RMSE {np.sqrt((resid ** 2).mean()):.2f} kW   R2 {r2:.3f}   lowest prediction {model.predict(test).min():.1f} (lowest actual {test[TARGET].min():.1f})")
