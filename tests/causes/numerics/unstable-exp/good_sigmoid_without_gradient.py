import torch
from torch import nn

net = nn.Linear(8, 1)


@torch.inference_mode()
def chance(x):
    # 1 / (1 + inf) is exactly 0, and nobody asks for a slope.
    return 1 / (1 + torch.exp(-net(x)))


def chances(loader):
    net.eval()
    with torch.no_grad():
        return [1 / (1 + (-net(x)).exp()) for x in loader]
