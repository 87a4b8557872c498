"""Mean-teacher consistency on two moons with few labels; the weight-averaged teacher is what we ship."""
import copy

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
from sklearn.datasets import make_moons

torch.manual_seed(6)
np.random.seed(6)


def moons(n, seed):
    x, y = make_moons(n, noise=0.12, random_state=seed)
    x = (x - np.array([0.5, 0.25])) / np.array([0.87, 0.5])
    return torch.tensor(x, dtype=torch.float32), torch.tensor(y)


x_lab, y_lab = moons(40, 0)
x_unl, _ = moons(1500, 1)
x_val, y_val = moons(500, 2)
x_test, y_test = moons(1000, 3)


def mlp():
    return nn.Sequential(nn.Linear(2, 48), nn.ReLU(), nn.Linear(48, 48), nn.ReLU(), nn.Linear(48, 2))


student = mlp()
teacher = copy.deepcopy(student)
for p in teacher.parameters():
    p.requires_grad = False
teacher.eval()
opt = torch.optim.Adam(student.parameters(), lr=3e-3)


@torch.no_grad()
def follow(step):
    a = min(1 - 1 / (step + 1), 0.99)
    for pt, ps in zip(teacher.parameters(), student.parameters()):
        pt.mul_(a).add_(ps, alpha=1 - a)


def jitter(x):
    return x + 0.1 * torch.randn_like(x)


@torch.no_grad()
def acc(net, x, y):
    mode = net.training
    net.eval()
    r = (net(x).argmax(1) == y).float().mean().item()
    net.train(mode)
    return r


student.train()
STEPS = 1200
for step in range(STEPS):
    xu = x_unl[torch.randint(0, len(x_unl), (64,))]
    with torch.no_grad():
        goal = teacher(jitter(xu)).softmax(1)
    ramp = min(1.0, step / 400)
    consistency = F.mse_loss(student(jitter(xu)).softmax(1), goal)
    supervised = F.cross_entropy(student(jitter(x_lab)), y_lab)
    loss = supervised + 2.0 * ramp * consistency
    opt.zero_grad()
    loss.backward()
    opt.step()
    follow(step)
    if step % 200 == 199:
        print(f"{step + 1:5d} sup {supervised.item():.3f} cons {consistency.item():.4f} "
              f"val student {acc(student, x_val, y_val):.3f} teacher {acc(teacher, x_val, y_val):.3f}")
print("test accuracy of the teacher", acc(teacher, x_test, y_test))
