"""Autoregressive TCN on a noisy seasonal AR series. Position t predicts x[t+1]."""
import math

import torch
import torch.nn as nn
import torch.nn.functional as F


def simulate(n, T, g, noise=0.35, burn=40):
    """AR(2) with random per-series seasonality; innovations are N(0, noise^2)."""
    x = torch.zeros(n, T + burn)
    per = 8 + 8 * torch.rand(n, generator=g)
    ph = 2 * math.pi * torch.rand(n, generator=g)
    e = noise * torch.randn(n, T + burn, generator=g)
    for t in range(2, T + burn):
        season = 0.5 * torch.sin(2 * math.pi * t / per + ph)
        x[:, t] = 1.1 * x[:, t - 1] - 0.5 * x[:, t - 2] + season + e[:, t]
    return x[:, burn:]


class ConvBlock(nn.Module):
    def __init__(self, c, k, dil):
        super().__init__()
        self.span = (k - 1) * dil
        self.conv = nn.Conv1d(c, 2 * c, k, dilation=dil)
        self.mix = nn.Conv1d(c, c, 1)

    def forward(self, x):
        a, b = self.conv(F.pad(x, (self.span // 2, self.span // 2))).chunk(2, 1)
        return x + self.mix(torch.tanh(a) * torch.sigmoid(b))


class TCN(nn.Module):
    def __init__(self, c=24, k=3, dils=(1, 2, 4, 8)):
        super().__init__()
        self.inp = nn.Conv1d(1, c, 1)
        self.blocks = nn.ModuleList([ConvBlock(c, k, d) for d in dils])
        self.out = nn.Conv1d(c, 1, 1)

    def forward(self, x):
        h = self.inp(x.unsqueeze(1))
        for b in self.blocks:
            h = b(h)
        return self.out(F.gelu(h)).squeeze(1)


@torch.no_grad()
def teacher_forced(model, x):
    model.eval()
    mse = F.mse_loss(model(x[:, :-1]), x[:, 1:]).item()
    model.train()
    return mse


@torch.no_grad()
def streaming(model, x, start=40, n=24):
    """Feed the past only, read the last output, compare with what came next."""
    model.eval()
    err = [(model(x[:, :t])[:, -1] - x[:, t]).square().mean() for t in range(start, start + n)]
    model.train()
    return torch.stack(err).mean().item()


def main(seed=2, epochs=20, bs=40, lr=4e-3, T=72):
    torch.set_num_threads(1)
    torch.manual_seed(seed)
    g = torch.Generator().manual_seed(seed)
    train, val = simulate(2000, T, g), simulate(400, T, g)
    sd = train.std()
    train, val = train / sd, val / sd
    print(f"innovation variance (floor) {(0.35 / sd.item()) ** 2:.4f}   last-value baseline {F.mse_loss(val[:, :-1], val[:, 1:]):.4f}")
    model = TCN()
    opt = torch.optim.AdamW(model.parameters(), lr=lr, weight_decay=1e-3)
    sched = torch.optim.lr_scheduler.OneCycleLR(opt, lr, total_steps=epochs * (len(train) // bs))
    for ep in range(epochs):
        tot = 0.0
        for idx in torch.randperm(len(train)).split(bs):
            xb = train[idx]
            loss = F.mse_loss(model(xb[:, :-1]), xb[:, 1:])
            opt.zero_grad()
            loss.backward()
            opt.step()
            sched.step()
            tot += loss.item()
        print(f"ep {ep:2d}  train {tot / (len(train) // bs):.4f}  val {teacher_forced(model, val):.4f}")
    print(f"one-step forecast mse, streaming: {streaming(model, val):.4f}")


if __name__ == "__main__":
    main()
