"""Squeeze a gas-identification network into something a microcontroller can hold.

The teacher sees 4000 calibrated recordings. The student sees only 200 of them plus a pool of
field recordings without labels, which the frozen teacher annotates with soft targets.
"""
import csv
import sys

import torch
from torch import nn
from torch.nn import functional as F
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(8)
N_GAS, N_SENSOR, TEMP, ALPHA = 6, 12, 3.0, 0.7

g = torch.Generator().manual_seed(88)
RESPONSE = torch.rand(N_GAS, N_SENSOR, generator=g) * 1.0 + 0.2
EXPONENT = torch.rand(N_GAS, N_SENSOR, generator=g) * 0.6 + 0.3


def recordings(n):
    gas = torch.randint(0, N_GAS, (n,), generator=g)
    conc = torch.empty(n, 1).uniform_(5, 120, generator=g)
    humidity = torch.randn(n, 1, generator=g)
    x = RESPONSE[gas] * conc ** EXPONENT[gas]
    x = x * (1 + 0.12 * humidity) * torch.exp(0.75 * torch.randn(n, N_SENSOR, generator=g))
    return x.log1p(), gas


def net(width, depth, drop):
    layers, d = [], N_SENSOR
    for _ in range(depth):
        layers += [nn.Linear(d, width), nn.BatchNorm1d(width), nn.ReLU(), nn.Dropout(drop)]
        d = width
    return nn.Sequential(*layers, nn.Linear(d, N_GAS))


def accuracy(model, x, y):
    model.eval()
    with torch.no_grad():
        return (model(x).argmax(1) == y).float().mean().item()


x_full, y_full = recordings(4000)
x_pool, _ = recordings(6000)
x_test, y_test = recordings(2000)
mean, std = x_full.mean(0), x_full.std(0)
x_full, x_pool, x_test = ((v - mean) / std for v in (x_full, x_pool, x_test))
out = csv.writer(sys.stdout, lineterminator="\n")
out.writerow(["who", "epoch", "loss", "test_acc"])

teacher = net(96, 3, 0.2)
opt = torch.optim.AdamW(teacher.parameters(), lr=2e-3, weight_decay=1e-2)
loader = DataLoader(TensorDataset(x_full, y_full), batch_size=100, shuffle=True)
for epoch in range(10):
    teacher.train()
    s = 0.0
    for x, y in loader:
        loss = F.cross_entropy(teacher(x), y)
        opt.zero_grad(); loss.backward(); opt.step()
        s += loss.item()
    out.writerow(["teacher", epoch, round(s / len(loader), 4), round(accuracy(teacher, x_test, y_test), 4)])

teacher.eval().requires_grad_(False)


def train_student(use_teacher):
    torch.manual_seed(9)
    student = net(16, 1, 0.0)
    opt = torch.optim.Adam(student.parameters(), lr=5e-3)
    x_lab, y_lab = x_full[:200], y_full[:200]
    pool = DataLoader(TensorDataset(x_pool), batch_size=64, shuffle=True)
    for epoch in range(3):
        student.train()
        s = 0.0
        for (xu,) in pool:
            pick = torch.randint(0, len(x_lab), (32,))
            hard = F.cross_entropy(student(x_lab[pick]), y_lab[pick])
            if use_teacher:
                soft_target = F.softmax(teacher(xu) / TEMP, dim=1)
                soft = F.kl_div(F.log_softmax(student(xu) / TEMP, dim=1), soft_target,
                                reduction="batchmean") * TEMP ** 2
                loss = (1 - ALPHA) * hard + ALPHA * soft
            else:
                loss = hard
            opt.zero_grad(); loss.backward(); opt.step()
            s += loss.item()
        out.writerow(["distilled" if use_teacher else "alone", epoch, round(s / len(pool), 4),
                      round(accuracy(student, x_test, y_test), 4)])
    return accuracy(student, x_test, y_test)


alone = train_student(False)
distilled = train_student(True)
print(f"# teacher {accuracy(teacher, x_test, y_test):.4f}  student alone {alone:.4f}  "
      f"student distilled {distilled:.4f}  chance {1 / N_GAS:.4f}")
