"""Echo-state network: fixed random reservoir, softmax readout trained with SGD. Task: which AR(2) process made the series?"""
import argparse

import torch
import torch.nn as nn
import torch.nn.functional as F

# (phi1, phi2) per class, all stationary
PROCS = torch.tensor([[0.5, 0.2], [-0.4, 0.3], [1.2, -0.6], [0.2, -0.7], [1.6, -0.8]])


def ar2(n, T, g, burn=30):
    y = torch.randint(len(PROCS), (n,), generator=g)
    a, b = PROCS[y].unbind(-1)
    x = torch.zeros(n, T + burn)
    eps = torch.randn(n, T + burn, generator=g)
    for t in range(2, T + burn):
        x[:, t] = a * x[:, t - 1] + b * x[:, t - 2] + eps[:, t]
    x = x[:, burn:]
    return (x - x.mean(-1, keepdim=True)) / x.std(-1, keepdim=True), y


class Reservoir(nn.Module):
    def __init__(self, units, rho, leak, g):
        super().__init__()
        W = torch.randn(units, units, generator=g) * (torch.rand(units, units, generator=g) < 0.1)
        W *= rho / torch.linalg.eigvals(W).abs().max()
        self.register_buffer("W", W)
        self.register_buffer("win", torch.rand(units, generator=g) * 2 - 1)
        self.register_buffer("b", 0.4 * (torch.rand(units, generator=g) * 2 - 1))
        self.leak = leak

    @torch.no_grad()
    def forward(self, x):
        h = x.new_zeros(len(x), len(self.win))
        s1, s2 = torch.zeros_like(h), torch.zeros_like(h)
        for t in range(x.size(1)):
            new = torch.tanh(x[:, t, None] * self.win + h @ self.W.T + self.b)
            h = torch.lerp(h, new, self.leak)
            s1 += h
            s2 += h.square()
        return torch.cat([s1, s2], -1) / x.size(1)


def accuracy(readout, f, y):
    readout.eval()
    with torch.no_grad():
        z = readout(f)
    readout.train()
    return F.cross_entropy(z, y).item(), (z.argmax(-1) == y).float().mean().item()


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--units", type=int, default=100)
    ap.add_argument("--len", type=int, default=24, dest="T")
    ap.add_argument("--epochs", type=int, default=20)
    ap.add_argument("--bs", type=int, default=100)
    ap.add_argument("--lr", type=float, default=0.05)
    ap.add_argument("--momentum", type=float, default=0.9)
    ap.add_argument("--seed", type=int, default=0)
    a = ap.parse_args()

    torch.set_num_threads(1)
    torch.manual_seed(a.seed)
    g = torch.Generator().manual_seed(a.seed)
    xtr, ytr = ar2(6000, a.T, g)
    xva, yva = ar2(1500, a.T, g)
    esn = Reservoir(a.units, rho=0.8, leak=0.7, g=g)
    ftr, fva = esn(xtr), esn(xva)
    mu, sd = ftr.mean(0), ftr.std(0)
    ftr, fva = (ftr - mu) / sd, (fva - mu) / sd

    readout = nn.Linear(ftr.size(1), len(PROCS))
    opt = torch.optim.SGD(readout.parameters(), lr=a.lr, momentum=a.momentum, weight_decay=1e-4)
    sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, a.epochs, eta_min=a.lr / 3)

    for ep in range(a.epochs):
        tot = 0.0
        for idx in torch.randperm(len(ytr)).split(a.bs):
            loss = F.cross_entropy(readout(ftr[idx]), ytr[idx])
            opt.step()
            opt.zero_grad()
            loss.backward()
            tot += loss.item() * len(idx)
        sched.step()
        vl, va = accuracy(readout, fva, yva)
        print(f"epoch {ep:2d}  train {tot / len(ytr):.4f}  val {vl:.4f}  acc {va:.3f}")


if __name__ == "__main__":
    main()
