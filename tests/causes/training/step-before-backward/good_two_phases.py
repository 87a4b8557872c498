import torch
from torch import nn


def update(opt, loss):
    opt.zero_grad()
    loss.backward()
    opt.step()


def main():
    teacher, student = nn.Linear(4, 4), nn.Linear(4, 4)
    opt_t = torch.optim.SGD(teacher.parameters(), lr=0.1)
    opt_s = torch.optim.SGD(student.parameters(), lr=0.1)
    for x, y in loader:
        update(opt_t, nn.functional.mse_loss(teacher(x), y))
    for x, _ in loader:
        update(opt_s, nn.functional.mse_loss(student(x), teacher(x).detach()))


main()
