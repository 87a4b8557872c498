# Learn the one-step dynamics of a damped pendulum with torque input.
# usage: python train_dynamics.py [--epochs 60] [--batch 50]
import argparse

import numpy as np
import torch
from torch import nn

DT = 0.2


def step(state, u):
    th, om = state
    for _ in range(10):
        h = DT / 10
        om = om + h * (-9.81 * np.sin(th) - 0.3 * om + u)
        th = th + h * om
    return np.array([th, om])


def rollouts(n_traj, n_steps, rng):
    xs, ys = [], []
    for _ in range(n_traj):
        s = np.array([rng.uniform(-2.5, 2.5), rng.uniform(-3, 3)])
        for _ in range(n_steps):
            u = rng.uniform(-4, 4)
            nxt = step(s, u)
            xs.append([np.sin(s[0]), np.cos(s[0]), s[1], u])
            ys.append(nxt - s)
            s = nxt
    return np.array(xs, dtype=np.float32), np.array(ys, dtype=np.float32)


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--epochs", type=int, default=60)
    ap.add_argument("--batch", type=int, default=50)
    ap.add_argument("--lr", type=float, default=0.02)
    ap.add_argument("--hidden", type=int, default=48)
    ap.add_argument("--seed", type=int, default=5)
    args = ap.parse_args()

    torch.manual_seed(args.seed)
    rng = np.random.default_rng(args.seed)

    x_tr, y_tr = rollouts(120, 25, rng)
    x_te, y_te = rollouts(30, 25, rng)

    xm, xs = x_tr.mean(0), x_tr.std(0)
    ym, ys = y_tr.mean(0), y_tr.std(0)
    x_tr = torch.from_numpy((x_tr - xm) / xs)
    y_tr = torch.from_numpy((y_tr - ym) / ys)
    x_te = torch.from_numpy((x_te - xm) / xs)
    y_te = torch.from_numpy((y_te - ym) / ys)

    net = nn.Sequential(
        nn.Linear(4, args.hidden), nn.Tanh(),
        nn.Linear(args.hidden, args.hidden), nn.Tanh(),
        nn.Linear(args.hidden, 2),
    )
    opt = torch.optim.SGD(net.parameters(), lr=args.lr, momentum=0.9)
    criterion = nn.SmoothL1Loss(reduction="sum")

    for ep in range(args.epochs):
        net.train()
        perm = torch.randperm(len(x_tr))
        hist = []
        for k in range(0, len(perm), args.batch):
            i = perm[k:k + args.batch]
            loss = criterion(net(x_tr[i]), y_tr[i])
            opt.zero_grad()
            loss.backward()
            opt.step()
            hist.append(loss.item())
        if ep % 5 == 0 or ep == args.epochs - 1:
            print(f"[{ep:03d}] loss {np.mean(hist):.5f}")

    net.eval()
    with torch.no_grad():
        err = ((net(x_te) - y_te) ** 2).mean(0)
    print("normalised test mse  theta %.4f  omega %.4f" % (err[0], err[1]))
    print("explained variance   %.4f" % (1 - err.mean() / y_te.var()))


if __name__ == "__main__":
    main()
