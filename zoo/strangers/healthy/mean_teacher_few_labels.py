"""Mean-teacher semi-supervised learning with a few dozen labelled cells.

The cell cycle is a loop; three cell types run through it at different amplitudes. The 2-d state is
observed through 16 noisy markers, and only a few cells per type carry a label.
"""
import copy
import math

import torch
import torch.nn as nn
import torch.nn.functional as F


class Cells:
    def __init__(self, seed):
        self.g = torch.Generator().manual_seed(seed)
        self.load = torch.randn(2, 16, generator=self.g) / math.sqrt(2)

    def draw(self, n):
        g = self.g
        y = torch.randint(0, 3, (n,), generator=g)
        ang = 2 * math.pi * torch.rand(n, generator=g)
        r = torch.tensor([0.5, 1.2, 1.9])[y] + 0.09 * torch.randn(n, generator=g)
        z = torch.stack([r * ang.cos(), r * ang.sin()], 1)
        return z @ self.load + 0.10 * torch.randn(n, 16, generator=g), y


def make_net():
    return nn.Sequential(nn.Linear(16, 64), nn.ReLU(), nn.Dropout(0.1),
                         nn.Linear(64, 64), nn.ReLU(), nn.Dropout(0.1), nn.Linear(64, 3))


@torch.no_grad()
def ema_update(teacher, student, alpha):
    for t, s in zip(teacher.parameters(), student.parameters()):
        t.mul_(alpha).add_(s, alpha=1 - alpha)


@torch.no_grad()
def score(net, x, y):
    net.eval()
    return (net(x).argmax(1) == y).float().mean().item()


def perturb(x):
    return x + 0.12 * torch.randn_like(x)


def fit(x_lab, y_lab, x_unl, max_weight, steps=1200, seed=0):
    torch.manual_seed(seed)
    student = make_net()
    teacher = copy.deepcopy(student)
    for p in teacher.parameters():
        p.requires_grad_(False)
    opt = torch.optim.SGD(student.parameters(), lr=0.05, momentum=0.9, nesterov=True, weight_decay=1e-4)
    trace = []
    for step in range(steps):
        ramp = math.exp(-5 * (1 - min(1.0, step / (0.8 * steps))) ** 2)
        weight = max_weight * ramp
        student.train()
        teacher.train()      # the teacher also gets its own dropout noise, as in the paper
        xu = x_unl[torch.randint(0, len(x_unl), (128,))]
        sup = F.cross_entropy(student(perturb(x_lab)), y_lab)
        with torch.no_grad():
            target = teacher(perturb(xu)).softmax(1)
        cons = F.mse_loss(student(perturb(xu)).softmax(1), target)
        loss = sup + weight * cons
        loss.backward()
        opt.step()
        opt.zero_grad()
        ema_update(teacher, student, min(0.99, 1 - 1 / (step + 2)))
        trace.append((sup.item(), cons.item()))
        if (step + 1) % 300 == 0:
            a, b = torch.tensor(trace[-100:]).mean(0).tolist()
            print(f"   step {step + 1}: supervised {a:.4f} consistency {b:.5f} weight {weight:.2f}")
    return teacher


def main():
    cells = Cells(40)
    x_pool, y_pool = cells.draw(3000)
    x_test, y_test = cells.draw(2000)
    mu, sd = x_pool.mean(0), x_pool.std(0)
    x_pool, x_test = (x_pool - mu) / sd, (x_test - mu) / sd
    lab = torch.cat([(y_pool == k).nonzero().squeeze(1)[:12] for k in range(3)])
    mask = torch.ones(len(x_pool), dtype=torch.bool)
    mask[lab] = False
    x_lab, y_lab, x_unl = x_pool[lab], y_pool[lab], x_pool[mask]

    print("labels only")
    base = score(fit(x_lab, y_lab, x_unl, max_weight=0.0), x_test, y_test)
    print("with consistency")
    mt = score(fit(x_lab, y_lab, x_unl, max_weight=10.0), x_test, y_test)
    print(f"test accuracy: labels only {base:.4f}, mean teacher {mt:.4f}, chance {1 / 3:.4f} ({len(lab)} labels)")


if __name__ == "__main__":
    main()
