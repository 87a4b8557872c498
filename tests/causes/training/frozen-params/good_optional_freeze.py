import argparse

import torch
from torch import nn

parser = argparse.ArgumentParser()
parser.add_argument("--freeze", action="store_true")
args = parser.parse_args()

encoder = nn.Sequential(nn.Linear(40, 80), nn.ReLU())
head = nn.Linear(80, 3)
if args.freeze:
    encoder.requires_grad_(False)
optimizer = torch.optim.Adam([*encoder.parameters(), *head.parameters()], lr=1e-3)
for x, y in loader:
    loss = nn.functional.cross_entropy(head(encoder(x)), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
