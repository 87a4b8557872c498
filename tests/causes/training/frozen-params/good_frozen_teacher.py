import copy

import torch
from torch import nn


class Distiller:
    def __init__(self, student, teacher):
        self.student = student
        self.teacher = teacher.eval().requires_grad_(False)
        self.ema = copy.deepcopy(student)
        for p in self.ema.parameters():
            p.requires_grad_(False)
        self.opt = torch.optim.Adam(student.parameters(), lr=1e-3)

    def step(self, x):
        loss = nn.functional.mse_loss(self.student(x), self.teacher(x))
        self.opt.zero_grad()
        loss.backward()
        self.opt.step()
        return loss.item()


student = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 2))
teacher = nn.Sequential(nn.Linear(4, 64), nn.ReLU(), nn.Linear(64, 2))
teacher.load_state_dict(torch.load("teacher.pt"))
distiller = Distiller(student, teacher)
for x, _ in loader:
    distiller.step(x)
