"""Residual denoiser for ECG-like traces.

The network estimates the *noise* in a trace (DnCNN style); the cleaned trace is the
input minus that estimate. Trained with a noise term and a reconstruction term.
"""
import argparse
import math

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset


def heartbeats(n, length, rng):
    """P, QRS and T waves as Gaussian bumps at a random heart rate."""
    t = np.arange(length, dtype=np.float64)
    traces = np.zeros((n, length))
    waves = [(-0.22, 0.25, 0.045), (-0.03, -0.3, 0.014), (0.0, 1.6, 0.018), (0.035, -0.4, 0.016), (0.3, 0.45, 0.06)]
    for i in range(n):
        period = rng.uniform(45, 80)
        start = rng.uniform(-period, 0)
        gain = rng.uniform(0.8, 1.2, len(waves))
        for beat in np.arange(start, length + period, period):
            for (shift, amp, width), g in zip(waves, gain):
                traces[i] += g * amp * np.exp(-0.5 * ((t - beat - shift * period) / (width * period)) ** 2)
    return traces


class Denoiser(nn.Module):
    def __init__(self, width=20, depth=4, kernel=9):
        super().__init__()
        layers = [nn.Conv1d(1, width, kernel, padding=kernel // 2), nn.ReLU()]
        for _ in range(depth - 2):
            layers += [nn.Conv1d(width, width, kernel, padding=kernel // 2), nn.ReLU()]
        layers += [nn.Conv1d(width, 1, kernel, padding=kernel // 2)]
        self.net = nn.Sequential(*layers)

    def forward(self, noisy):
        return self.net(noisy)

    def clean(self, noisy):
        return noisy - self(noisy)


class Trainer:
    def __init__(self, model, train_loader, sigma, rec_weight, lr, epochs):
        self.model, self.loader, self.sigma = model, train_loader, sigma
        self.rec_weight, self.epochs = rec_weight, epochs
        self.opt = torch.optim.Adam(model.parameters(), lr=lr)
        self.sched = torch.optim.lr_scheduler.CosineAnnealingLR(self.opt, epochs)

    def losses(self, clean):
        noise = self.sigma * torch.randn_like(clean)
        noisy = clean + noise
        est = self.model(noisy)
        noise_loss = F.mse_loss(est, noise)
        rec_loss = F.l1_loss(noisy + est, clean)
        return noise_loss, rec_loss

    def fit(self, val_noisy, val_clean):
        for epoch in range(1, self.epochs + 1):
            self.model.train()
            sums = np.zeros(2)
            for (clean,) in self.loader:
                noise_loss, rec_loss = self.losses(clean)
                loss = noise_loss + self.rec_weight * rec_loss
                self.opt.zero_grad()
                loss.backward()
                self.opt.step()
                sums += (noise_loss.item(), rec_loss.item())
            self.sched.step()
            a, b = sums / len(self.loader)
            print(f"epoch {epoch:2d}  total {a + self.rec_weight * b:.4f}  noise {a:.4f}  rec {b:.4f}  "
                  f"val gain {snr_gain(self.model, val_noisy, val_clean):5.2f} dB")


@torch.no_grad()
def snr_gain(model, noisy, clean):
    model.eval()
    before = F.mse_loss(noisy, clean).item()
    after = F.mse_loss(model.clean(noisy), clean).item()
    return 10 * math.log10(before / after)


def main():
    ap = argparse.ArgumentParser(description=__doc__)
    ap.add_argument("--length", type=int, default=128)
    ap.add_argument("--sigma", type=float, default=0.5)
    ap.add_argument("--rec-weight", type=float, default=1.0)
    ap.add_argument("--epochs", type=int, default=12)
    ap.add_argument("--lr", type=float, default=2e-3)
    ap.add_argument("--seed", type=int, default=9)
    a = ap.parse_args()

    torch.manual_seed(a.seed)
    rng = np.random.default_rng(a.seed)
    raw = heartbeats(2000, a.length, rng)
    mean, std = raw[:1280].mean(), raw[:1280].std()
    traces = torch.tensor((raw - mean) / std, dtype=torch.float32).unsqueeze(1)
    train, val, test = traces[:1280], traces[1280:1500], traces[1500:]

    held_out = torch.Generator().manual_seed(a.seed + 1)
    val_noisy = val + a.sigma * torch.randn(val.shape, generator=held_out)
    test_noisy = test + a.sigma * torch.randn(test.shape, generator=held_out)

    model = Denoiser()
    loader = DataLoader(TensorDataset(train), batch_size=32, shuffle=True)
    Trainer(model, loader, a.sigma, a.rec_weight, a.lr, a.epochs).fit(val_noisy, val)
    print(f"test SNR gain: {snr_gain(model, test_noisy, test):.2f} dB")


if __name__ == "__main__":
    main()
