from dataclasses import dataclass, field

import numpy as np
import torch
from sklearn.datasets import load_wine
from torch import nn


@dataclass
class Config:
    hidden: int = 32
    lr: float = 0.01
    epochs: int = 40
    batch: int = 16
    seed: int = 21


class WineModel(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(13, cfg.hidden), nn.ReLU(), nn.Linear(cfg.hidden, 3))

    def forward(self, x):
        return self.body(x)


class Experiment:
    def __init__(self, cfg):
        self.cfg = cfg
        torch.manual_seed(cfg.seed)
        rng = np.random.default_rng(cfg.seed)
        data, target = load_wine(return_X_y=True)
        order = rng.permutation(len(data))
        cut = int(0.7 * len(data))
        self.train_idx, self.test_idx = order[:cut], order[cut:]
        self.data, self.target = data, target
        self.center = data[self.train_idx].mean(0)
        self.scale = data[self.train_idx].std(0)
        self.model = WineModel(cfg)
        self.opt = torch.optim.Adam(self.model.parameters(), lr=cfg.lr)

    def batch(self, idx):
        x = (self.data[idx] - self.center) / self.scale
        return torch.as_tensor(x, dtype=torch.float32), torch.as_tensor(self.target[idx])

    def train(self):
        loss_fn = nn.CrossEntropyLoss()
        for epoch in range(self.cfg.epochs):
            np.random.seed(epoch)
            idx = np.random.permutation(self.train_idx)
            losses = []
            for k in range(0, len(idx), self.cfg.batch):
                x, y = self.batch(idx[k:k + self.cfg.batch])
                loss = loss_fn(self.model(x), y)
                self.opt.zero_grad()
                loss.backward()
                self.opt.step()
                losses.append(loss.item())
            if epoch % 10 == 0:
                print("epoch", epoch, "loss", round(float(np.mean(losses)), 4))

    def evaluate(self):
        self.model.eval()
        x = torch.as_tensor(self.data[self.test_idx] - self.center, dtype=torch.float32)
        y = torch.as_tensor(self.target[self.test_idx])
        with torch.no_grad():
            return (self.model(x).argmax(1) == y).float().mean().item()


exp = Experiment(Config())
exp.train()
print(f"test acc: {exp.evaluate():.3f}")
