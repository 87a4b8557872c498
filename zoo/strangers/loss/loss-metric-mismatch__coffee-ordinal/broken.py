"""Ordinal grades (1-6) of coffee samples with a CORAL head: shared score, ordered cut points."""
from types import SimpleNamespace

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F

hp = SimpleNamespace(grades=6, samples=6000, lr=3e-3, epochs=14, batch=100, seed=2)


def cupping_data(hp):
    rng = np.random.default_rng(hp.seed)
    z = rng.normal(size=(hp.samples, 12))
    quality = (1.2 * z[:, 0] - 0.8 * z[:, 1] + 0.9 * np.tanh(2 * z[:, 2]) + 0.6 * z[:, 3] * z[:, 4]
               + 0.5 * np.abs(z[:, 5]) + rng.normal(0, 0.22, hp.samples))
    edges = np.quantile(quality, np.linspace(0, 1, hp.grades + 1)[1:-1])
    grade = np.digitize(quality, edges)
    return torch.tensor(z, dtype=torch.float32), torch.tensor(grade)


class CoralNet(nn.Module):
    def __init__(self, d, grades):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(d, 64), nn.GELU(), nn.Linear(64, 64), nn.GELU(), nn.Linear(64, 1, bias=False))
        self.cuts = nn.Parameter(torch.linspace(1.5, -1.5, grades - 1))

    def forward(self, x):
        return self.body(x) + self.cuts


def levels(grade, grades):
    return (grade[:, None] > torch.arange(grades - 1)).float()


def coral_loss(logits, grade, grades):
    return F.binary_cross_entropy_with_logits(logits, levels(grade, grades))


def to_grade(logits):
    return logits.argmax(dim=1)


@torch.no_grad()
def report(model, x, grade, hp):
    model.eval()
    logits = model(x)
    pred = to_grade(logits)
    return {
        "val_loss": coral_loss(logits, grade, hp.grades).item(),
        "exact": (pred == grade).float().mean().item(),
        "within_one": ((pred - grade).abs() <= 1).float().mean().item(),
        "mae": (pred - grade).abs().float().mean().item(),
    }


torch.manual_seed(hp.seed)
x, grade = cupping_data(hp)
n_val = hp.samples // 5
x_val, g_val, x_tr, g_tr = x[:n_val], grade[:n_val], x[n_val:], grade[n_val:]

model = CoralNet(x.shape[1], hp.grades)
decay = [p for p in model.parameters() if p.ndim > 1]
plain = [p for p in model.parameters() if p.ndim <= 1]
opt = torch.optim.AdamW([{"params": decay, "weight_decay": 2e-2}, {"params": plain, "weight_decay": 0.0}], lr=hp.lr)
sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, hp.epochs)

for epoch in range(hp.epochs):
    model.train()
    running = 0.0
    for idx in torch.randperm(len(x_tr)).split(hp.batch):
        loss = coral_loss(model(x_tr[idx]), g_tr[idx], hp.grades)
        opt.zero_grad()
        loss.backward()
        opt.step()
        running += loss.item() * len(idx)
    sched.step()
    stats = report(model, x_val, g_val, hp)
    print(f"epoch {epoch + 1:2d} train_loss {running / len(x_tr):.4f} " + " ".join(f"{k} {v:.4f}" for k, v in stats.items()))
print("cut points", [round(c, 2) for c in model.cuts.tolist()])
