import argparse

import torch
from torch import nn

parser = argparse.ArgumentParser()
parser.add_argument("--trials", type=int, default=5)
args = parser.parse_args()
x = torch.linspace(-1, 1, 128)[:, None]
for trial in range(args.trials):
    torch.manual_seed(trial)
    net = nn.Sequential(nn.Linear(1, 32), nn.Tanh(), nn.Linear(32, 1))
    optimizer = torch.optim.Adam(net.parameters(), lr=1e-2)
    for step in range(300):
        loss = (net(x) - torch.sin(3 * x)).pow(2).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
