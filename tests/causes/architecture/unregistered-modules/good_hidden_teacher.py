import copy

import torch
from torch import nn


class Distiller(nn.Module):
    """A list hides the teacher from state_dict() and parameters() on purpose."""

    def __init__(self, student, teacher):
        super().__init__()
        self.student = student
        self._teacher = [teacher.eval()]
        self._average = [copy.deepcopy(student)]

    def forward(self, x):
        with torch.no_grad():
            wanted = self._teacher[0](x)
        return self.student(x), wanted


class RandomTarget(nn.Module):
    def __init__(self):
        super().__init__()
        self.fixed = [nn.Linear(8, 8)]
        for layer in self.fixed:
            layer.requires_grad_(False)

    def forward(self, x):
        return self.fixed[0](x)
