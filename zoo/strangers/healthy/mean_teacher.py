"""Semi-supervised digits: mean teacher. 100 labelled images, the rest of the training part unlabelled."""
import copy
from dataclasses import dataclass

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split


@dataclass
class Config:
    seed: int = 0
    labelled: int = 100
    steps: int = 900
    batch: int = 32
    unlabelled_batch: int = 96
    lr: float = 2e-3
    ema: float = 0.99
    consistency: float = 8.0
    ramp: int = 300


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(64, 128), nn.ReLU(), nn.Dropout(0.3), nn.Linear(128, 64), nn.ReLU())
        self.fc = nn.Linear(64, 10)

    def forward(self, x):
        return self.fc(self.body(x))


class MeanTeacher:
    def __init__(self, cfg):
        self.cfg = cfg
        self.student = Net()
        self.teacher = copy.deepcopy(self.student)
        for p in self.teacher.parameters():
            p.requires_grad_(False)
        self.opt = torch.optim.Adam(self.student.parameters(), lr=cfg.lr)
        self.sched = torch.optim.lr_scheduler.CosineAnnealingLR(self.opt, cfg.steps)

    @torch.no_grad()
    def follow(self, step):
        beta = min(self.cfg.ema, 1 - 1 / (step + 2))
        for t, s in zip(self.teacher.parameters(), self.student.parameters()):
            t.mul_(beta).add_(s, alpha=1 - beta)

    def weight(self, step):
        r = min(1.0, step / self.cfg.ramp)
        return self.cfg.consistency * float(np.exp(-5 * (1 - r) ** 2))

    def step(self, step, x, y, u):
        self.student.train()
        noise = lambda v: v + 0.15 * torch.randn_like(v)
        supervised = F.cross_entropy(self.student(noise(x)), y)
        with torch.no_grad():
            target = self.teacher(noise(u)).softmax(-1)
        agree = F.mse_loss(self.student(noise(u)).softmax(-1), target)
        loss = supervised + self.weight(step) * agree
        self.opt.zero_grad()
        loss.backward()
        self.opt.step()
        self.sched.step()
        self.follow(step)
        return supervised.item(), agree.item()

    @torch.no_grad()
    def accuracy(self, net, x, y):
        net.eval()
        return (net(x).argmax(1) == y).float().mean().item()


def main(cfg=Config()):
    torch.manual_seed(cfg.seed)
    rng = np.random.default_rng(cfg.seed)
    x, y = load_digits(return_X_y=True)
    x_tr, x_te, y_tr, y_te = train_test_split(x, y, test_size=500, stratify=y, random_state=cfg.seed)
    as_x = lambda v: torch.tensor(v / 8.0 - 1.0, dtype=torch.float32)
    x_lab, x_unl, y_lab, _ = train_test_split(x_tr, y_tr, train_size=cfg.labelled, stratify=y_tr, random_state=cfg.seed)
    x_lab, x_unl, x_te = as_x(x_lab), as_x(x_unl), as_x(x_te)
    y_lab, y_te = torch.tensor(y_lab), torch.tensor(y_te)

    mt = MeanTeacher(cfg)
    for step in range(cfg.steps):
        i = torch.from_numpy(rng.choice(len(x_lab), cfg.batch, replace=False))
        j = torch.from_numpy(rng.choice(len(x_unl), cfg.unlabelled_batch, replace=False))
        sup, con = mt.step(step, x_lab[i], y_lab[i], x_unl[j])
        if step % 300 == 299:
            print(f"step {step + 1}: supervised {sup:.4f} consistency {con:.5f}")
    print(f"test accuracy: student {mt.accuracy(mt.student, x_te, y_te):.3f}, "
          f"teacher {mt.accuracy(mt.teacher, x_te, y_te):.3f}")


if __name__ == "__main__":
    main()
