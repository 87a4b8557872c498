import torch
from torch import nn


def reset(m):
    if isinstance(m, nn.Linear):
        m.weight.data.fill_(0)
        m.bias.data.fill_(0)
        nn.init.normal_(m.weight, std=0.02)


net = nn.Sequential(nn.Linear(6, 32), nn.ReLU(), nn.Linear(32, 2))
net.apply(reset)
for p in net.parameters():
    if p.dim() > 1:
        nn.init.xavier_uniform_(p)
logits = net(torch.randn(4, 6))
