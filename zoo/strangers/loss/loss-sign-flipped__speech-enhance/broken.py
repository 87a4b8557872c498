import math
from dataclasses import dataclass

import torch
from torch import nn, Tensor


@dataclass
class Config:
    n_train: int = 448
    n_test: int = 128
    samples: int = 320
    batch: int = 32
    epochs: int = 8
    lr: float = 2e-3
    channels: int = 16
    seed: int = 0


def synth_voice(n: int, samples: int, g: torch.Generator) -> Tensor:
    """Harmonic tones with a slow envelope, unit power."""
    t = torch.arange(samples) / 4000.0
    f0 = 90 + 90 * torch.rand(n, 1, generator=g)
    x = torch.zeros(n, samples)
    for k in range(1, 4):
        amp = torch.rand(n, 1, generator=g) / k
        phase = 2 * math.pi * torch.rand(n, 1, generator=g)
        x = x + amp * torch.sin(2 * math.pi * k * f0 * t + phase)
    env = 0.6 + 0.4 * torch.sin(2 * math.pi * (2 + 6 * torch.rand(n, 1, generator=g)) * t)
    x = x * env
    return x / x.std(dim=1, keepdim=True)


def corrupt(clean: Tensor, g: torch.Generator) -> Tensor:
    return clean + 0.8 * torch.randn(clean.shape, generator=g)


def si_snr(est: Tensor, ref: Tensor, eps: float = 1e-8) -> Tensor:
    """Scale-invariant signal-to-noise ratio in dB, one number per clip."""
    est = est - est.mean(-1, keepdim=True)
    ref = ref - ref.mean(-1, keepdim=True)
    proj = (est * ref).sum(-1, keepdim=True) / (ref.pow(2).sum(-1, keepdim=True) + eps) * ref
    noise = est - proj
    return 10 * torch.log10(proj.pow(2).sum(-1) / (noise.pow(2).sum(-1) + eps) + eps)


class Denoiser(nn.Module):
    def __init__(self, c: int):
        super().__init__()
        self.inp = nn.Conv1d(1, c, 15, padding=7)
        self.mid = nn.ModuleList(
            nn.Conv1d(c, c, 5, padding=2 * d, dilation=d) for d in (1, 2, 4)
        )
        self.out = nn.Conv1d(c, 1, 15, padding=7)
        self.act = nn.PReLU()

    def forward(self, x: Tensor) -> Tensor:
        h = self.act(self.inp(x.unsqueeze(1)))
        for conv in self.mid:
            h = h + self.act(conv(h))
        return self.out(h).squeeze(1)


class Trainer:
    def __init__(self, cfg: Config):
        torch.manual_seed(cfg.seed)
        self.cfg = cfg
        self.g = torch.Generator().manual_seed(cfg.seed + 1)
        self.train_clean = synth_voice(cfg.n_train, cfg.samples, self.g)
        self.test_clean = synth_voice(cfg.n_test, cfg.samples, self.g)
        self.test_noisy = corrupt(self.test_clean, self.g)
        self.net = Denoiser(cfg.channels)
        self.opt = torch.optim.Adam(self.net.parameters(), lr=cfg.lr)

    def epoch(self) -> float:
        self.net.train()
        order = torch.randperm(self.cfg.n_train, generator=self.g)
        total = 0.0
        for idx in order.split(self.cfg.batch):
            clean = self.train_clean[idx]
            noisy = corrupt(clean, self.g)  # fresh noise every time
            loss = si_snr(self.net(noisy), clean).mean()
            self.opt.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(self.net.parameters(), 20.0)
            self.opt.step()
            total += loss.item() * len(idx)
        return total / self.cfg.n_train

    @torch.no_grad()
    def test(self) -> float:
        self.net.eval()
        return si_snr(self.net(self.test_noisy), self.test_clean).mean().item()

    def fit(self) -> None:
        for e in range(self.cfg.epochs):
            print(f"[{e + 1}/{self.cfg.epochs}] loss {self.epoch():.3f}")
        before = si_snr(self.test_noisy, self.test_clean).mean().item()
        print(f"SI-SNR of the noisy input   {before:6.2f} dB")
        print(f"SI-SNR after enhancement    {self.test():6.2f} dB")


if __name__ == "__main__":
    Trainer(Config()).fit()
