import argparse
import csv
import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset


def get_args():
    p = argparse.ArgumentParser()
    p.add_argument("--width", type=int, default=128)
    p.add_argument("--lr", type=float, default=1e-3)
    p.add_argument("--seed", type=int, default=0)
    p.add_argument("--out", default="runs.csv")
    return p.parse_args()


def main():
    args = get_args()
    X, y = torch.load("adult_train.pt")
    Xv, yv = torch.load("adult_val.pt")
    loader = DataLoader(TensorDataset(X, y), batch_size=256, shuffle=True)
    net = nn.Sequential(nn.Linear(X.shape[1], args.width), nn.ReLU(), nn.Linear(args.width, 2))
    opt = torch.optim.Adam(net.parameters(), lr=args.lr)
    for _ in range(20):
        for xb, yb in loader:
            opt.zero_grad()
            nn.functional.cross_entropy(net(xb), yb).backward()
            opt.step()
    with torch.no_grad():
        acc = (net(Xv).argmax(1) == yv).float().mean().item()
    with open(args.out, "a", newline="") as f:
        csv.writer(f).writerow([args.seed, args.width, args.lr, acc])


if __name__ == "__main__":
    main()
