"""Distillation on digits: a frozen teacher, softened targets, and an averaged copy of the student for evaluation."""
import copy

import torch
import torch.nn.functional as F
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split
from torch import nn

torch.manual_seed(31)
T, ALPHA = 3.0, 0.7
raw = load_digits()
x, y = torch.tensor(raw.data, dtype=torch.float32), torch.tensor(raw.target)
dev, te = train_test_split(range(len(y)), test_size=0.25, stratify=raw.target, random_state=2)
tr, va = train_test_split(dev, test_size=0.15, stratify=raw.target[dev], random_state=2)
shift, scale = x[tr].mean(), x[tr].std()
x = (x - shift) / scale


def accuracy(m, ids):
    m.eval()
    with torch.no_grad():
        return (m(x[ids]).argmax(1) == y[ids]).float().mean().item()


def epochs(n, batch=48):
    for e in range(n):
        for ids in torch.tensor(tr)[torch.randperm(len(tr))].split(batch):
            if len(ids) > 1:
                yield e, ids


teacher = nn.Sequential(nn.Linear(64, 256), nn.BatchNorm1d(256), nn.ReLU(), nn.Dropout(0.3),
                        nn.Linear(256, 128), nn.ReLU(), nn.Linear(128, 10))
opt = torch.optim.AdamW(teacher.parameters(), lr=2e-3, weight_decay=0.05)
teacher_steps = 25 * ((len(tr) + 47) // 48)
sched = torch.optim.lr_scheduler.OneCycleLR(opt, 4e-3, total_steps=teacher_steps)
teacher.train()
for e, ids in epochs(25):
    loss = F.cross_entropy(teacher(x[ids]), y[ids])
    loss.backward()
    opt.step()
    opt.zero_grad()
    sched.step()
print(f"teacher: last loss {loss.item():.4f}, val accuracy {accuracy(teacher, va):.3f}")

teacher.eval()
for p in teacher.parameters():
    p.requires_grad = False
with torch.inference_mode():
    soft_all = F.softmax(teacher(x) / T, dim=1)
soft_all = soft_all.clone()          # a normal tensor again

student = nn.Sequential(nn.Linear(64, 24), nn.ReLU(), nn.Linear(24, 10))
averaged = copy.deepcopy(student).requires_grad_(False)
opt = torch.optim.SGD(student.parameters(), lr=0.1, momentum=0.9, nesterov=True, weight_decay=1e-4)
sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, T_max=60)
last, total, k = 0, 0.0, 0
student.train()
for e, ids in epochs(60):
    if e != last:
        sched.step()
        if e % 6 == 0:
            print(f"epoch {e:2d}  loss {total / k:.4f}  val accuracy of the average {accuracy(averaged, va):.3f}")
        last, total, k = e, 0.0, 0
    out = student(x[ids])
    kd = F.kl_div(F.log_softmax(out / T, dim=1), soft_all[ids], reduction="batchmean") * T * T
    loss = ALPHA * kd + (1 - ALPHA) * F.cross_entropy(out, y[ids])
    loss.backward()
    opt.step()
    opt.zero_grad()
    total, k = total + loss.item(), k + 1
    with torch.no_grad():
        for a, s in zip(averaged.parameters(), student.parameters()):
            a.mul_(0.98).add_(s, alpha=0.02)

print(f"test accuracy: teacher {accuracy(teacher, te):.3f}, student {accuracy(student, te):.3f}, average {accuracy(averaged, te):.3f}")
