import torch
from torch import nn

net = nn.Linear(2, 1)
opt = torch.optim.LBFGS(net.parameters())


def closure():
    opt.zero_grad()
    loss = nn.functional.mse_loss(net(x), y)
    loss.backward()
    return loss


for _ in range(10):
    opt.step(closure)
