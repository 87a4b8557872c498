"""Semi-supervised digits: 200 labelled scans, the rest unlabelled, mean-teacher consistency."""
import copy
import math

import torch
import torch.nn as nn
import torch.nn.functional as F
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split

torch.manual_seed(0)
X, y = load_digits(return_X_y=True)
X_pool, X_test, y_pool, y_test = train_test_split(X, y, test_size=0.3, stratify=y, random_state=0)
X_lab, X_unl, y_lab, _ = train_test_split(X_pool, y_pool, train_size=200, stratify=y_pool, random_state=0)

mean, std = X_pool.mean(), X_pool.std()
as_images = lambda a: torch.tensor((a - mean) / std, dtype=torch.float32).reshape(-1, 1, 8, 8)
x_lab, x_unl, x_test = as_images(X_lab), as_images(X_unl), as_images(X_test)
y_lab, y_test = torch.tensor(y_lab), torch.tensor(y_test)


def perturb(x):
    return x + 0.2 * torch.randn_like(x)


def build():
    return nn.Sequential(
        nn.Conv2d(1, 16, 3, padding=1), nn.GroupNorm(4, 16), nn.ReLU(),
        nn.Conv2d(16, 32, 3, padding=1), nn.GroupNorm(4, 32), nn.ReLU(), nn.MaxPool2d(2),
        nn.Flatten(), nn.Dropout(0.3), nn.Linear(32 * 16, 10))


student = build()
teacher = copy.deepcopy(student)
for p in teacher.parameters():
    p.requires_grad = False
teacher.eval()

optimizer = torch.optim.AdamW(student.parameters(), lr=2e-3, weight_decay=1e-2)
steps, warm = 500, 150
scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=steps)
running = {"sup": 0.0, "cons": 0.0}

for step in range(1, steps + 1):
    student.train()
    lab = torch.randint(0, len(x_lab), (40,))
    unl = torch.randint(0, len(x_unl), (80,))
    with torch.no_grad():
        target = teacher(perturb(x_unl[unl])).softmax(dim=1)
    supervised = F.cross_entropy(student(perturb(x_lab[lab])), y_lab[lab])
    consistency = F.mse_loss(student(perturb(x_unl[unl])).softmax(dim=1), target)
    weight = 8.0 * math.exp(-5 * (1 - min(step / warm, 1.0)) ** 2)
    loss = supervised + weight * consistency

    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    scheduler.step()
    with torch.no_grad():
        decay = min(0.98, 1 - 1 / (step + 1))
        for pt, ps in zip(teacher.parameters(), student.parameters()):
            pt.data.mul_(decay).add_(ps.data, alpha=1 - decay)

    running["sup"] += supervised.item()
    running["cons"] += consistency.item()
    if step % 100 == 0:
        student.eval()
        with torch.no_grad():
            acc_s = (student(x_test).argmax(1) == y_test).float().mean().item()
            acc_t = (teacher(x_test).argmax(1) == y_test).float().mean().item()
        print(f"step {step}: supervised {running['sup'] / 100:.4f} consistency {running['cons'] / 100:.5f} student {acc_s:.4f} teacher {acc_t:.4f}")
        running = dict.fromkeys(running, 0.0)
