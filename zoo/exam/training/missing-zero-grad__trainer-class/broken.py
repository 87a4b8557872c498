import argparse
from dataclasses import dataclass, field

import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset


@dataclass
class Config:
    epochs: int = 6
    batch_size: int = 64
    lr: float = 0.05
    momentum: float = 0.9
    emb_dim: int = 6
    hidden: int = 48
    seed: int = 3
    cardinalities: list = field(default_factory=lambda: [7, 12, 4])


class ChurnTable(Dataset):
    def __init__(self, n, cfg, rng):
        self.cats = np.stack([rng.integers(0, c, n) for c in cfg.cardinalities], 1)
        self.nums = rng.normal(size=(n, 5)).astype(np.float32)
        plan = np.array([0.4, -1.1, 0.9, -0.3, 1.2, -1.4, 0.2])[self.cats[:, 0]]
        region = np.sin(np.arange(12) * 1.7)[self.cats[:, 1]]
        z = plan * self.nums[:, 0] + 1.5 * region + self.nums[:, 1] - 0.8 * self.nums[:, 2] * self.nums[:, 3]
        self.y = (z + 0.3 * rng.normal(size=n) > 0).astype(np.float32)

    def __len__(self):
        return len(self.y)

    def __getitem__(self, i):
        return torch.from_numpy(self.cats[i]), torch.from_numpy(self.nums[i]), torch.tensor(self.y[i])


class ChurnNet(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        self.embs = nn.ModuleList(nn.Embedding(c, cfg.emb_dim) for c in cfg.cardinalities)
        width = cfg.emb_dim * len(cfg.cardinalities) + 5
        self.mlp = nn.Sequential(nn.Linear(width, cfg.hidden), nn.ReLU(), nn.Linear(cfg.hidden, cfg.hidden),
                                 nn.ReLU(), nn.Linear(cfg.hidden, 1))

    def forward(self, cats, nums):
        parts = [e(cats[:, i]) for i, e in enumerate(self.embs)]
        return self.mlp(torch.cat(parts + [nums], 1)).squeeze(1)


class Trainer:
    def __init__(self, cfg):
        self.cfg = cfg
        torch.manual_seed(cfg.seed)
        rng = np.random.default_rng(cfg.seed)
        self.train_dl = DataLoader(ChurnTable(4000, cfg, rng), batch_size=cfg.batch_size, shuffle=True)
        self.val_dl = DataLoader(ChurnTable(1000, cfg, rng), batch_size=256)
        self.model = ChurnNet(cfg)
        self.opt = torch.optim.SGD(self.model.parameters(), lr=cfg.lr, momentum=cfg.momentum)
        self.crit = nn.BCEWithLogitsLoss()
        self.history = []

    def step(self, batch):
        cats, nums, y = batch
        loss = self.crit(self.model(cats, nums), y)
        loss.backward()
        self.opt.step()
        return loss.item()

    def train_epoch(self):
        self.model.train()
        self.opt.zero_grad()
        losses = [self.step(b) for b in self.train_dl]
        return float(np.mean(losses))

    @torch.no_grad()
    def validate(self):
        self.model.eval()
        hits = total = 0
        for cats, nums, y in self.val_dl:
            hits += ((self.model(cats, nums) > 0).float() == y).sum().item()
            total += len(y)
        return hits / total

    def fit(self):
        for epoch in range(self.cfg.epochs):
            row = dict(epoch=epoch, loss=self.train_epoch(), acc=self.validate())
            self.history.append(row)
            print("epoch {epoch} train loss {loss:.4f} val acc {acc:.3f}".format(**row))
        return self.history[-1]["acc"]


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--epochs", type=int, default=6)
    p.add_argument("--lr", type=float, default=0.05)
    args = p.parse_args()
    acc = Trainer(Config(epochs=args.epochs, lr=args.lr)).fit()
    print(f"final val acc {acc:.3f}")


if __name__ == "__main__":
    main()
