"""House-price style regression (Friedman #1) with a small residual MLP."""
import numpy as np
import torch
from sklearn.datasets import make_friedman1
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

from engine import evaluate, train_one_epoch
from meter import ActivityMeter

EPOCHS = 40


class Residual(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.fc1, self.fc2, self.act = nn.Linear(width, width), nn.Linear(width, width), nn.ReLU()

    def forward(self, h):
        return h + self.fc2(self.act(self.fc1(h)))


class Regressor(nn.Module):
    def __init__(self, n_in, width=64):
        super().__init__()
        self.stem = nn.Sequential(nn.Linear(n_in, width), nn.ReLU())
        self.blocks = nn.Sequential(Residual(width), Residual(width), Residual(width))
        self.head = nn.Linear(width, 1)

    def forward(self, x):
        return self.head(self.blocks(self.stem(x))).squeeze(-1)


def loaders(seed=0):
    x, y = make_friedman1(n_samples=7500, n_features=10, noise=1.0, random_state=seed)
    x_rest, x_te, y_rest, y_te = train_test_split(x, y, test_size=0.15, random_state=seed)
    x_tr, x_va, y_tr, y_va = train_test_split(x_rest, y_rest, test_size=0.15, random_state=seed)
    sx, mu, sd = StandardScaler().fit(x_tr), y_tr.mean(), y_tr.std()

    def wrap(a, b, shuffle):
        ds = TensorDataset(torch.tensor(sx.transform(a), dtype=torch.float32),
                           torch.tensor((b - mu) / sd, dtype=torch.float32))
        return DataLoader(ds, batch_size=256, shuffle=shuffle)

    return wrap(x_tr, y_tr, True), wrap(x_va, y_va, False), wrap(x_te, y_te, False), sd


def main():
    torch.manual_seed(0)
    np.random.seed(0)
    train, val, test, sd = loaders()
    model = Regressor(10)
    loss_fn = nn.MSELoss()
    optimizer = torch.optim.AdamW(model.parameters(), lr=2e-3, weight_decay=0.05)
    scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, EPOCHS)
    meter = ActivityMeter()

    for epoch in range(1, EPOCHS + 1):
        loss, ms = train_one_epoch(model, train, loss_fn, optimizer, meter)
        val_loss, _ = evaluate(model, val, loss_fn)
        scheduler.step()
        if epoch % 5 == 0 or epoch == 1:
            print(f"epoch {epoch:2d}  loss {loss:.4f}  val {val_loss:.4f}  {ms:.1f} ms/step  active {meter.summary()}")

    _, mae = evaluate(model, test, loss_fn)
    print(f"test MAE {mae * sd:.3f} (predicting the mean: about {0.8 * sd:.2f}, label noise alone: 0.80)")


if __name__ == "__main__":
    main()
