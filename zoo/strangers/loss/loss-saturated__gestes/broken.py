# -*- coding: utf-8 -*-
"""Reconnaissance de gestes : douze trajectoires 2-D tracées au stylet."""
import math
import random
import numpy as np
import torch
from torch import nn
from torch.nn import functional as F

N_GESTES = 12
POINTS = 40


def fixer_graine(g):
    random.seed(g)
    np.random.seed(g)
    torch.manual_seed(g)


def modeles_de_gestes():
    """Une trajectoire lisse par geste (quelques harmoniques au hasard)."""
    t = torch.linspace(0, 2 * math.pi, POINTS)
    gestes = []
    for _ in range(N_GESTES):
        xy = torch.zeros(2, POINTS)
        for h in (1, 2, 3):
            xy += torch.randn(2, 1) / h * torch.sin(h * t + 2 * math.pi * torch.rand(2, 1))
        gestes.append(xy)
    return torch.stack(gestes)


def tracer(gestes, n):
    """n essais : échelle, rotation, tremblement."""
    y = torch.randint(N_GESTES, (n,))
    x = gestes[y] * (0.8 + 0.4 * torch.rand(n, 1, 1))
    a = 0.3 * torch.randn(n)
    rot = torch.stack([torch.stack([a.cos(), -a.sin()], -1), torch.stack([a.sin(), a.cos()], -1)], -2)
    x = rot @ x + 0.35 * torch.randn(n, 2, POINTS)
    return x, y


class Reseau(nn.Module):
    def __init__(self, canaux=24):
        super().__init__()
        self.c1 = nn.Conv1d(2, canaux, 5, padding=2)
        self.c2 = nn.Conv1d(canaux, canaux, 5, stride=2, padding=2)
        self.c3 = nn.Conv1d(canaux, canaux, 5, stride=2, padding=2)
        self.sortie = nn.Linear(canaux * POINTS // 4, N_GESTES)

    def forward(self, x):
        x = F.relu(self.c1(x))
        x = F.relu(self.c2(x))
        x = F.relu(self.c3(x))
        return self.sortie(x.flatten(1))


class PerteTronquee(nn.Module):
    """Entropie croisée plafonnée : un tracé raté ne pèse pas plus que `plafond`."""

    def __init__(self, plafond):
        super().__init__()
        self.plafond = plafond

    def forward(self, logits, y):
        par_exemple = F.cross_entropy(logits, y, reduction="none")
        return par_exemple.clamp(max=self.plafond).mean()


def precision(reseau, x, y):
    reseau.eval()
    with torch.no_grad():
        return (reseau(x).argmax(1) == y).float().mean().item()


def principal():
    fixer_graine(21)
    gestes = modeles_de_gestes()
    x, y = tracer(gestes, 2400)
    x_val, y_val = tracer(gestes, 400)
    x_test, y_test = tracer(gestes, 800)
    moyenne, ecart = x.mean((0, 2), keepdim=True), x.std((0, 2), keepdim=True)
    x, x_val, x_test = ((z - moyenne) / ecart for z in (x, x_val, x_test))

    reseau = Reseau()
    perte = PerteTronquee(plafond=1.5)
    epoques = 12
    opt = torch.optim.Adam(reseau.parameters(), lr=1e-3)
    sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, epoques)

    for e in range(epoques):
        reseau.train()
        cumul = 0.0
        for lot in torch.randperm(len(x)).split(48):
            opt.zero_grad()
            l = perte(reseau(x[lot]), y[lot])
            l.backward()
            opt.step()
            cumul += l.item() * len(lot)
        sched.step()
        print(f"époque {e + 1:2d} : perte {cumul / len(x):.4f}, précision (val) {precision(reseau, x_val, y_val):.3f}")

    print(f"précision (test) {precision(reseau, x_test, y_test):.3f} ; au hasard {1 / N_GESTES:.3f}")


if __name__ == "__main__":
    principal()
