import argparse

import torch
from torch import nn
from torch.utils.data import DataLoader

parser = argparse.ArgumentParser()
parser.add_argument("--batch-size", type=int, default=32)
args = parser.parse_args()
model = nn.Sequential(nn.Linear(10, 32), nn.BatchNorm1d(32), nn.ReLU(), nn.Linear(32, 2))
optimizer = torch.optim.Adam(model.parameters())
whole = DataLoader(torch.load("batches.pt"), batch_size=1, shuffle=True)
usual = DataLoader(torch.load("rows.pt"), batch_size=args.batch_size, shuffle=True)
sampled = DataLoader(torch.load("rows.pt"), batch_sampler=torch.load("sampler.pt"))
for loader in (usual, sampled):
    for x, y in loader:
        optimizer.zero_grad()
        nn.functional.cross_entropy(model(x), y).backward()
        optimizer.step()
for x, y in whole:
    optimizer.zero_grad()
    nn.functional.cross_entropy(model(x.squeeze(0)), y.squeeze(0)).backward()
    optimizer.step()
