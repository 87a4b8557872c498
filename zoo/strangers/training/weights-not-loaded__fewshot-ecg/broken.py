"""Pretraining on simulated beats with known wave parameters, then fine-tuning with a handful of labels."""
import os
import tempfile

import torch
import torch.nn as nn
import torch.nn.functional as F

T = 64


def beats(n, gen, noise=0.25):
    """ECG-like beats; four morphologies told apart by the relative place and sign of a small wave."""
    t = torch.linspace(0, 1, T)
    y = torch.randint(0, 4, (n,), generator=gen)
    r_pos = 0.4 + 0.2 * torch.rand(n, 1, generator=gen)
    x = 1.5 * torch.exp(-((t - r_pos) / 0.025) ** 2)
    offset = torch.where(y % 2 == 0, -0.16, 0.16)[:, None] + 0.015 * torch.randn(n, 1, generator=gen)
    sign = torch.where(y < 2, 1.0, -1.0)[:, None]
    x = x + 0.8 * sign * torch.exp(-((t - r_pos - offset) / 0.035) ** 2)
    drift = torch.randn(n, 1, generator=gen) * torch.sin(2 * torch.pi * (t + torch.rand(n, 1, generator=gen)))
    x = x + 0.35 * drift + noise * torch.randn(n, T, generator=gen)
    return x[:, None], y, torch.cat([6 * offset, sign, 10 * (r_pos - 0.5)], dim=1)


def init_weights(m):
    if isinstance(m, (nn.Conv1d, nn.Linear)):
        nn.init.kaiming_normal_(m.weight, nonlinearity="relu")
        if m.bias is not None:
            nn.init.zeros_(m.bias)


class Encoder(nn.Module):
    def __init__(self, dim=48):
        super().__init__()
        self.layers = nn.Sequential(
            nn.Conv1d(1, 24, 7, stride=2, padding=3), nn.GELU(),
            nn.Conv1d(24, 48, 5, stride=2, padding=2), nn.GELU(),
            nn.Flatten(), nn.Linear(48 * T // 4, dim),
        )

    def forward(self, x):
        return self.layers(x)


class WaveRegressor(nn.Module):
    def __init__(self, dim=48):
        super().__init__()
        self.encoder = Encoder(dim)
        self.readout = nn.Sequential(nn.GELU(), nn.Linear(dim, 3))
        self.readout.apply(init_weights)

    def forward(self, x):
        return self.readout(self.encoder(x))


class BeatClassifier(nn.Module):
    def __init__(self, checkpoint=None, dim=48, n_classes=4):
        super().__init__()
        self.encoder = Encoder(dim)
        if checkpoint is not None:
            self.encoder.load_state_dict(torch.load(checkpoint, weights_only=True))
        self.head = nn.Sequential(nn.LayerNorm(dim), nn.Linear(dim, n_classes))
        self.apply(init_weights)

    def forward(self, x):
        return self.head(self.encoder(x))


def pretrain(x, waves, path, epochs=8):
    net = WaveRegressor()
    opt = torch.optim.AdamW(net.parameters(), lr=1e-3)
    for epoch in range(epochs):
        total = 0.0
        for idx in torch.randperm(len(x)).split(64):
            loss = F.mse_loss(net(x[idx]), waves[idx])
            opt.zero_grad()
            loss.backward()
            opt.step()
            total += loss.item() * len(idx)
        print(f"pretrain {epoch}: mse {total / len(x):.4f}")
    torch.save(net.encoder.state_dict(), path)


def finetune(net, x, y, epochs=40):
    opt = torch.optim.AdamW(
        [{"params": net.encoder.parameters(), "lr": 5e-5}, {"params": net.head.parameters(), "lr": 5e-3}],
        weight_decay=0.01,
    )
    for epoch in range(epochs):
        net.train()
        for idx in torch.randperm(len(x)).split(16):
            loss = F.cross_entropy(net(x[idx]), y[idx])
            opt.zero_grad()
            loss.backward()
            opt.step()
        if epoch % 10 == 9:
            print(f"finetune {epoch + 1}: loss {loss.item():.4f}")


@torch.no_grad()
def accuracy(net, x, y):
    net.eval()
    return (net(x).argmax(1) == y).float().mean().item()


def main():
    torch.manual_seed(0)
    gen = torch.Generator().manual_seed(123)
    x_sim, _, waves = beats(4000, gen, noise=0.2)
    x_few, y_few, _ = beats(80, gen)
    x_test, y_test, _ = beats(1000, gen)
    ckpt = os.path.join(tempfile.mkdtemp(), "encoder.pt")
    pretrain(x_sim, waves, ckpt)
    net = BeatClassifier(ckpt)
    finetune(net, x_few, y_few)
    print(f"test accuracy with {len(x_few)} labels: {accuracy(net, x_test, y_test):.3f}")


main()
