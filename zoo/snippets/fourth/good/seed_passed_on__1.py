import numpy as np
import torch


def make_net(seed):
    torch.manual_seed(seed)
    return torch.nn.Linear(4, 2)


def run(seed, x, y):
    net = make_net(seed)
    opt = torch.optim.SGD(net.parameters(), lr=0.1)
    for _ in range(100):
        opt.zero_grad()
        torch.nn.functional.cross_entropy(net(x), y).backward()
        opt.step()
    return (net(x).argmax(1) == y).float().mean().item()


print(np.mean([run(s, x, y) for s in range(5)]))
