import torch
from torch import nn


def rmse(net, x, y):
    net.eval()
    with torch.no_grad():
        return (net(x) - y).pow(2).mean().sqrt().item()


net = nn.Sequential(nn.Linear(3, 30), nn.Tanh(), nn.Linear(30, 1))
opt = torch.optim.LBFGS(net.parameters())


def closure():
    opt.zero_grad()
    loss = nn.functional.mse_loss(net(x_train), y_train)
    loss.backward()
    return loss


for it in range(20):
    opt.step(closure)
    print(it, rmse(net, x_val, y_val))
