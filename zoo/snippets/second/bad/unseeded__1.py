import argparse
import json

import numpy as np
import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset

parser = argparse.ArgumentParser()
parser.add_argument("--hidden", type=int, default=64)
parser.add_argument("--seed", type=int, default=0)
parser.add_argument("--out", default="results.jsonl")
args = parser.parse_args()

X = np.load("features.npy").astype(np.float32)
y = np.load("targets.npy").astype(np.int64)
perm = np.random.permutation(len(X))
cut = int(0.8 * len(X))
tr, va = perm[:cut], perm[cut:]

ds = TensorDataset(torch.from_numpy(X[tr]), torch.from_numpy(y[tr]))
loader = DataLoader(ds, batch_size=64, shuffle=True)
model = nn.Sequential(nn.Linear(X.shape[1], args.hidden), nn.ReLU(), nn.Linear(args.hidden, 5))
opt = torch.optim.Adam(model.parameters(), lr=1e-3)

for epoch in range(30):
    for xb, yb in loader:
        opt.zero_grad()
        nn.functional.cross_entropy(model(xb), yb).backward()
        opt.step()

with torch.no_grad():
    acc = (model(torch.from_numpy(X[va])).argmax(1).numpy() == y[va]).mean()
with open(args.out, "a") as f:
    f.write(json.dumps({"seed": args.seed, "hidden": args.hidden, "acc": float(acc)}) + "\n")
