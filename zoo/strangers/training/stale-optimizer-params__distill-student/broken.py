"""Knowledge distillation on the UCI digits: deep teacher -> shallow student."""
import copy
import random
from dataclasses import dataclass

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split


@dataclass
class Config:
    seed: int = 5
    teacher_epochs: int = 25
    student_epochs: int = 40
    batch: int = 64
    lr: float = 1e-3
    temperature: float = 3.0
    alpha: float = 0.6
    width: int = 96


def set_seed(s):
    random.seed(s)
    np.random.seed(s)
    torch.manual_seed(s)


class MLP(nn.Module):
    def __init__(self, width, depth, n_out=10):
        super().__init__()
        self.stem = nn.Linear(64, width)
        self.blocks = nn.ModuleList(nn.Linear(width, width) for _ in range(depth))
        self.head = nn.Linear(width, n_out)

    def forward(self, x):
        h = F.relu(self.stem(x))
        for b in self.blocks:
            h = F.relu(b(h))
        return self.head(h)


def inherit(student, teacher, keys=("stem",)):
    """Give the student the teacher's early layers as a starting point."""
    merged = copy.deepcopy(student)
    source = teacher.state_dict()
    own = merged.state_dict()
    for name in own:
        if name.split(".")[0] in keys:
            own[name] = source[name].clone()
    merged.load_state_dict(own)
    return merged


class Distiller:
    def __init__(self, cfg, data):
        self.cfg = cfg
        self.xtr, self.xva, self.xte, self.ytr, self.yva, self.yte = data
        self.teacher = MLP(cfg.width, 3)
        self.student = MLP(cfg.width, 1)

    def batches(self):
        order = torch.randperm(len(self.xtr))
        for idx in order.split(self.cfg.batch):
            yield self.xtr[idx], self.ytr[idx]

    @torch.no_grad()
    def accuracy(self, net, x, y):
        net.eval()
        return (net(x).argmax(-1) == y).float().mean().item()

    def fit_teacher(self):
        opt = torch.optim.Adam(self.teacher.parameters(), lr=self.cfg.lr)
        for _ in range(self.cfg.teacher_epochs):
            self.teacher.train()
            for x, y in self.batches():
                opt.zero_grad()
                F.cross_entropy(self.teacher(x), y).backward()
                opt.step()
        self.teacher.eval()
        print(f"teacher: val acc {self.accuracy(self.teacher, self.xva, self.yva):.4f}")

    def kd_loss(self, s_logits, t_logits, y):
        t = self.cfg.temperature
        soft = F.kl_div(F.log_softmax(s_logits / t, -1), F.softmax(t_logits / t, -1), reduction="batchmean")
        return self.cfg.alpha * t * t * soft + (1 - self.cfg.alpha) * F.cross_entropy(s_logits, y)

    def fit_student(self):
        optimizer = torch.optim.Adam(self.student.parameters(), lr=self.cfg.lr)
        self.student = inherit(self.student, self.teacher)
        sched = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, self.cfg.student_epochs)
        for epoch in range(1, self.cfg.student_epochs + 1):
            self.student.train()
            total = 0.0
            for x, y in self.batches():
                with torch.no_grad():
                    t_logits = self.teacher(x)
                loss = self.kd_loss(self.student(x), t_logits, y)
                self.student.zero_grad()
                loss.backward()
                optimizer.step()
                total += loss.item() * len(x)
            sched.step()
            if epoch % 5 == 0:
                print(f"student epoch {epoch:3d} | kd loss {total / len(self.xtr):.4f} "
                      f"| val acc {self.accuracy(self.student, self.xva, self.yva):.4f}")

    def report(self):
        t = self.accuracy(self.teacher, self.xte, self.yte)
        s = self.accuracy(self.student, self.xte, self.yte)
        print(f"test accuracy: teacher {t:.4f} / student {s:.4f}")


def load(seed):
    x, y = load_digits(return_X_y=True)
    x = x.astype("float32")
    xtr, xte, ytr, yte = train_test_split(x, y, test_size=0.25, stratify=y, random_state=seed)
    xtr, xva, ytr, yva = train_test_split(xtr, ytr, test_size=0.2, stratify=ytr, random_state=seed)
    m, s = xtr.mean(), xtr.std()
    xs = [torch.from_numpy((a - m) / s) for a in (xtr, xva, xte)]
    return (*xs, *(torch.from_numpy(a) for a in (ytr, yva, yte)))


if __name__ == "__main__":
    cfg = Config()
    set_seed(cfg.seed)
    d = Distiller(cfg, load(cfg.seed))
    d.fit_teacher()
    d.fit_student()
    d.report()
