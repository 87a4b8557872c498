import torch
import torch.nn.functional as F
from torch import nn


class Student(nn.Module):
    def __init__(self, width, classes):
        super().__init__()
        self.out = nn.Linear(width, classes)

    def forward(self, x):
        return self.out(x).log_softmax(-1)


def together(first, second, target):
    mean = (first.log_softmax(-1) + second.log_softmax(-1)) / 2
    return F.kl_div(mean, target.softmax(-1), reduction="batchmean")


def distil(student, x, ref, y, opt, tau=4.0):
    student.train()
    logp = student(x)
    soft = F.kl_div(F.log_softmax(logp / tau, -1), F.softmax(ref / tau, -1), reduction="batchmean")
    loss = F.nll_loss(logp, y) + tau**2 * soft
    opt.zero_grad()
    loss.backward()
    opt.step()
