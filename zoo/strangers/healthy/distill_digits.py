"""Compress a digit classifier: train a teacher, freeze it, distil into a tiny student."""
import copy

import numpy as np
import torch
import torch.nn.functional as F
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split
from torch import nn


def net(width, depth):
    mods, d = [], 64
    for _ in range(depth):
        mods += [nn.Linear(d, width), nn.ReLU()]
        d = width
    return nn.Sequential(*mods, nn.Linear(d, 10))


class Distiller(nn.Module):
    def __init__(self, teacher, student, temperature=3.0, alpha=0.7):
        super().__init__()
        self.teacher = copy.deepcopy(teacher).requires_grad_(False).eval()
        self.student = student
        self.T, self.alpha = temperature, alpha

    def train(self, mode=True):
        super().train(mode)
        self.teacher.eval()
        return self

    def forward(self, x):
        return self.student(x)

    def loss(self, x, y):
        logits = self.student(x)
        with torch.no_grad():
            soft = F.softmax(self.teacher(x) / self.T, dim=-1)
        kd = F.kl_div(F.log_softmax(logits / self.T, dim=-1), soft, reduction="batchmean") * self.T ** 2
        return self.alpha * kd + (1 - self.alpha) * F.cross_entropy(logits, y)


@torch.no_grad()
def acc(m, x, y):
    m.eval()
    return (m(x).argmax(-1) == y).float().mean().item()


def loop(params, step_loss, n, epochs, lr, set_mode, tag, evaluate):
    opt = torch.optim.AdamW(params, lr=lr, weight_decay=0.02)
    sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, epochs)
    for epoch in range(1, epochs + 1):
        set_mode()
        tot = 0.0
        for idx in torch.randperm(n).split(64):
            loss = step_loss(idx)
            opt.zero_grad()
            loss.backward()
            opt.step()
            tot += loss.item() * len(idx)
        sched.step()
        if epoch % 5 == 0:
            print(f"{tag} epoch {epoch:2d}  loss {tot / n:.4f}  val acc {evaluate():.3f}")


def main():
    torch.manual_seed(0)
    x, y = load_digits(return_X_y=True)
    x = (x / 16.0).astype(np.float32)
    xa, xt, ya, yt = train_test_split(x, y, test_size=0.2, stratify=y, random_state=4)
    xa, xv, ya, yv = train_test_split(xa, ya, test_size=0.2, stratify=ya, random_state=4)
    m = xa.mean()
    s = xa.std()
    xa, xv, xt = (torch.from_numpy((a - m) / s) for a in (xa, xv, xt))
    ya, yv, yt = map(torch.from_numpy, (ya, yv, yt))
    jitter = lambda a: a + 0.3 * torch.randn_like(a)

    teacher = net(128, 2)
    loop(teacher.parameters(), lambda i: F.cross_entropy(teacher(jitter(xa[i])), ya[i]), len(xa), 15, 2e-3,
         teacher.train, "teacher", lambda: acc(teacher, xv, yv))

    model = Distiller(teacher, net(24, 1))
    trainable = [p for p in model.parameters() if p.requires_grad]
    loop(trainable, lambda i: model.loss(jitter(xa[i]), ya[i]), len(xa), 30, 5e-3,
         model.train, "student", lambda: acc(model, xv, yv))
    print(f"test accuracy: teacher {acc(teacher, xt, yt):.3f}  student {acc(model, xt, yt):.3f}  "
          f"({sum(p.numel() for p in trainable)} of {sum(p.numel() for p in model.parameters())} parameters trained)")


main()
