import torch
import torch.nn as nn


def validate(net, x_val, y_val):
    net.eval  # train-mode-eval
    with torch.no_grad():
        return (net(x_val).argmax(1) == y_val).float().mean().item()


def main(x, y, x_val, y_val):
    net = nn.Sequential(nn.Linear(10, 100), nn.ReLU(), nn.Dropout(0.5), nn.Linear(100, 2))
    opt = torch.optim.Adam(net.parameters())
    for epoch in range(50):
        net.train()
        opt.zero_grad()
        nn.functional.cross_entropy(net(x), y).backward()
        opt.step()
        print(epoch, validate(net, x_val, y_val))
