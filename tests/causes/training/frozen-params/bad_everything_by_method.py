import torch
import torch.nn.functional as F
from torch import nn


def adapt(batches):
    net = nn.Sequential(nn.Linear(12, 24), nn.Tanh(), nn.Linear(24, 2))
    net.load_state_dict(torch.load("pretrained.pt"))
    net.requires_grad_(False)  # frozen-params
    opt = torch.optim.SGD([p for p in net.parameters()], lr=0.05)
    for x, y in batches:
        loss = F.cross_entropy(net(x), y)
        opt.zero_grad()
        loss.backward()
        opt.step()
    return net
