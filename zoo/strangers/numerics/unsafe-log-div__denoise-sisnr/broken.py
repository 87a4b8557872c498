"""Speech-like denoising: a small dilated conv net trained with scale-invariant SNR on synthetic harmonic sounds."""
from dataclasses import dataclass

import numpy as np
import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset


@dataclass
class Config:
    rate: int = 4000
    length: int = 480
    n_train: int = 1200
    n_valid: int = 200
    n_test: int = 300
    batch: int = 16
    epochs: int = 6
    lr: float = 2e-3
    channels: int = 16
    seed: int = 3


def make_clips(n, cfg, rng):
    """Clean clips made of voiced segments with pauses; white noise is added at 0 to 5 dB."""
    t = np.arange(cfg.length) / cfg.rate
    clean = np.zeros((n, cfg.length))
    noisy = np.zeros((n, cfg.length))
    for i in range(n):
        f0 = rng.uniform(90, 250)
        voice = sum(rng.uniform(0.3, 1.0) / k * np.sin(2 * np.pi * k * f0 * t + rng.uniform(0, 6.28)) for k in (1, 2, 3))
        gate = np.repeat(rng.random(4) < 0.7, cfg.length // 4).astype(float)
        gate = np.convolve(gate, np.hanning(41) / np.hanning(41).sum(), mode="same")
        clean[i] = voice * gate
        power = (voice ** 2).mean()
        noise = rng.normal(size=cfg.length)
        snr = 10 ** (rng.uniform(0, 5) / 10)
        noisy[i] = clean[i] + noise * np.sqrt(power / snr)
    return torch.tensor(noisy, dtype=torch.float32), torch.tensor(clean, dtype=torch.float32)


class Block(nn.Module):
    def __init__(self, ch, dilation):
        super().__init__()
        self.net = nn.Sequential(
            nn.Conv1d(ch, ch, 5, padding=2 * dilation, dilation=dilation),
            nn.GroupNorm(4, ch),
            nn.PReLU(),
            nn.Conv1d(ch, ch, 1),
        )

    def forward(self, x):
        return x + self.net(x)


class Denoiser(nn.Module):
    def __init__(self, ch):
        super().__init__()
        self.inp = nn.Conv1d(1, ch, 9, padding=4)
        self.blocks = nn.Sequential(*[Block(ch, d) for d in (1, 2, 4, 8, 16)])
        self.out = nn.Conv1d(ch, 1, 9, padding=4)

    def forward(self, x):
        h = self.blocks(self.inp(x.unsqueeze(1)))
        return self.out(h).squeeze(1)


def si_snr(est, ref):
    est = est - est.mean(-1, keepdim=True)
    ref = ref - ref.mean(-1, keepdim=True)
    dot = (est * ref).sum(-1, keepdim=True)
    energy = ref.pow(2).sum(-1, keepdim=True)
    target = dot / energy * ref
    residual = est - target
    ratio = target.pow(2).sum(-1) / residual.pow(2).sum(-1)
    return 10 * torch.log10(ratio)


@torch.no_grad()
def evaluate(model, loader):
    model.eval()
    before, after = [], []
    for noisy, clean in loader:
        voiced = clean.pow(2).mean(-1) > 1e-4
        noisy, clean = noisy[voiced], clean[voiced]
        before.append(si_snr(noisy, clean))
        after.append(si_snr(model(noisy), clean))
    return torch.cat(before).mean().item(), torch.cat(after).mean().item()


def main():
    cfg = Config()
    torch.manual_seed(cfg.seed)
    rng = np.random.default_rng(cfg.seed)
    train = TensorDataset(*make_clips(cfg.n_train, cfg, rng))
    valid = TensorDataset(*make_clips(cfg.n_valid, cfg, rng))
    test = TensorDataset(*make_clips(cfg.n_test, cfg, rng))
    train_dl = DataLoader(train, cfg.batch, shuffle=True, drop_last=True)
    valid_dl = DataLoader(valid, 100)
    test_dl = DataLoader(test, 100)

    model = Denoiser(cfg.channels)
    opt = torch.optim.AdamW(model.parameters(), lr=cfg.lr, weight_decay=1e-4)
    sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, cfg.epochs * len(train_dl))
    for epoch in range(1, cfg.epochs + 1):
        model.train()
        running = 0.0
        for noisy, clean in train_dl:
            loss = -si_snr(model(noisy), clean).mean()
            opt.zero_grad(set_to_none=True)
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), 5.0)
            opt.step()
            sched.step()
            running += loss.item()
        _, snr = evaluate(model, valid_dl)
        print(f"epoch {epoch:2d}  train loss {running / len(train_dl):8.3f}  valid si-snr {snr:6.2f} dB")

    before, after = evaluate(model, test_dl)
    print(f"test si-snr  noisy {before:.2f} dB  denoised {after:.2f} dB  improvement {after - before:.2f} dB")


if __name__ == "__main__":
    main()
