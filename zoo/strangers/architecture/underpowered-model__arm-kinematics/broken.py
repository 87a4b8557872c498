"""Learn the forward kinematics of a planar three-link arm from recorded joint angles."""
import argparse
import math

import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

LINKS = (0.50, 0.35, 0.20)  # metres


def tip_position(q):
    """q: (n, 3) joint angles in radians -> (n, 2) tip position in metres."""
    total = np.cumsum(q, axis=1)
    x = sum(l * np.cos(total[:, i]) for i, l in enumerate(LINKS))
    y = sum(l * np.sin(total[:, i]) for i, l in enumerate(LINKS))
    return np.stack([x, y], axis=1)


def record(n, rng):
    q = rng.uniform(-0.75 * math.pi, 0.75 * math.pi, size=(n, 3))
    p = tip_position(q) + rng.normal(0, 0.004, size=(n, 2))
    return q.astype(np.float32), p.astype(np.float32)


class Standardizer:
    def __init__(self, a):
        self.mean, self.std = a.mean(0), a.std(0)

    def __call__(self, a):
        return torch.from_numpy((a - self.mean) / self.std)

    def undo(self, t):
        return t.numpy() * self.std + self.mean


class ArmNet(nn.Module):
    def __init__(self, hidden):
        super().__init__()
        self.body = nn.Sequential(
            nn.Linear(3, hidden), nn.Tanh(),
            nn.Linear(hidden, hidden), nn.Tanh(),
            nn.Linear(hidden, 2),
        )

    def forward(self, q):
        return self.body(q)


class Trainer:
    def __init__(self, model, train_loader, val_loader, args):
        self.model = model
        self.train_loader, self.val_loader = train_loader, val_loader
        self.criterion = nn.MSELoss()
        self.optimizer = torch.optim.Adam(model.parameters(), lr=args.lr)
        self.scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(self.optimizer, T_max=args.epochs)
        self.epochs = args.epochs

    def _train_epoch(self):
        self.model.train()
        total, count = 0.0, 0
        for q, p in self.train_loader:
            self.optimizer.zero_grad()
            loss = self.criterion(self.model(q), p)
            loss.backward()
            self.optimizer.step()
            total += loss.item() * len(q)
            count += len(q)
        return total / count

    @torch.no_grad()
    def _validate(self):
        self.model.eval()
        total, count = 0.0, 0
        for q, p in self.val_loader:
            total += self.criterion(self.model(q), p).item() * len(q)
            count += len(q)
        return total / count

    def fit(self):
        for epoch in range(1, self.epochs + 1):
            tr = self._train_epoch()
            va = self._validate()
            self.scheduler.step()
            if epoch == 1 or epoch % 5 == 0:
                print(f"epoch {epoch:3d}  train {tr:.4f}  val {va:.4f}")


def parse():
    ap = argparse.ArgumentParser()
    ap.add_argument("--epochs", type=int, default=35)
    ap.add_argument("--hidden", type=int, default=2)
    ap.add_argument("--lr", type=float, default=4e-3)
    ap.add_argument("--batch-size", type=int, default=128)
    ap.add_argument("--seed", type=int, default=7)
    return ap.parse_args()


def main():
    args = parse()
    torch.manual_seed(args.seed)
    rng = np.random.default_rng(args.seed)

    q_tr, p_tr = record(8000, rng)
    q_va, p_va = record(1000, rng)
    q_te, p_te = record(2000, rng)
    sq, sp = Standardizer(q_tr), Standardizer(p_tr)

    train_loader = DataLoader(TensorDataset(sq(q_tr), sp(p_tr)), batch_size=args.batch_size, shuffle=True)
    val_loader = DataLoader(TensorDataset(sq(q_va), sp(p_va)), batch_size=500)

    model = ArmNet(args.hidden)
    Trainer(model, train_loader, val_loader, args).fit()

    model.eval()
    with torch.no_grad():
        pred = sp.undo(model(sq(q_te)))
    err = np.linalg.norm(pred - p_te, axis=1)
    r2 = 1 - ((pred - p_te) ** 2).sum() / ((p_te - p_te.mean(0)) ** 2).sum()
    print(f"test: median tip error {100 * np.median(err):.2f} cm   R2 {r2:.4f}")


if __name__ == "__main__":
    main()
