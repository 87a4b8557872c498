import math
import resource
import time

import torch
import torch.nn.functional as F
from torch import nn

SR = 4000


class ToneStream:
    """Endless batches of harmonic notes with vibrato, buried in noise plus mains hum."""

    def __init__(self, batch, length=512, seed=0):
        self.batch, self.length = batch, length
        self.gen = torch.Generator().manual_seed(seed)

    def _u(self, lo, hi, *shape):
        return lo + (hi - lo) * torch.rand(*shape, generator=self.gen)

    def __iter__(self):
        t = torch.arange(self.length) / SR
        while True:
            f0 = self._u(110, 440, self.batch, 1)
            vib = self._u(0, 0.004, self.batch, 1) * torch.sin(2 * math.pi * self._u(3, 7, self.batch, 1) * t)
            phase = 2 * math.pi * f0 * (t + vib)
            clean = torch.zeros(self.batch, self.length)
            for k in (1, 2, 3):
                clean = clean + self._u(0.1, 1.0, self.batch, 1) / k * torch.sin(k * phase)
            hum = 0.4 * torch.sin(2 * math.pi * 50 * t + self._u(0, 6.28, self.batch, 1))
            noisy = clean + hum + 0.5 * torch.randn(self.batch, self.length, generator=self.gen)
            yield noisy.unsqueeze(1), clean.unsqueeze(1)


class ResBlock(nn.Module):
    def __init__(self, ch, dilation):
        super().__init__()
        self.conv = nn.Conv1d(ch, ch, 5, padding=2 * dilation, dilation=dilation)
        self.mix = nn.Conv1d(ch, ch, 1)

    def forward(self, x):
        return x + self.mix(F.silu(self.conv(x)))


class Denoiser(nn.Module):
    def __init__(self, ch=12):
        super().__init__()
        self.inp = nn.Conv1d(1, ch, 9, padding=4)
        self.blocks = nn.Sequential(*[ResBlock(ch, d) for d in (1, 2, 4, 8, 16)])
        self.out = nn.Conv1d(ch, 1, 9, padding=4)

    def forward(self, x):
        return self.out(F.silu(self.blocks(self.inp(x))))


class Smoothed:
    """Bias-corrected exponential average, for log lines that can be read."""

    def __init__(self, beta=0.97):
        self.beta, self.acc, self.n = beta, 0.0, 0

    def update(self, value):
        self.acc = self.beta * self.acc + (1 - self.beta) * value
        self.n += 1

    @property
    def value(self):
        return float(self.acc) / (1 - self.beta ** self.n)


def rss_mb():
    with open("/proc/self/statm") as f:
        return int(f.read().split()[1]) * resource.getpagesize() / 2 ** 20


class Trainer:
    def __init__(self, steps=400, batch=8, lr=3e-3):
        torch.manual_seed(3)
        self.steps = steps
        self.net = Denoiser()
        self.opt = torch.optim.AdamW(self.net.parameters(), lr=lr)
        self.sched = torch.optim.lr_scheduler.OneCycleLR(self.opt, max_lr=lr, total_steps=steps)
        self.train_stream = iter(ToneStream(batch, seed=1))
        self.dev_stream = iter(ToneStream(batch, seed=2))
        self.train_avg, self.dev_avg = Smoothed(), Smoothed()

    def train_step(self):
        self.net.train()
        noisy, clean = next(self.train_stream)
        loss = F.mse_loss(self.net(noisy), clean)
        self.opt.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(self.net.parameters(), 1.0)
        self.opt.step()
        self.sched.step()
        self.train_avg.update(loss.item())

    def dev_step(self):
        self.net.eval()
        noisy, clean = next(self.dev_stream)
        loss = F.mse_loss(self.net(noisy), clean)
        self.dev_avg.update(loss)

    def fit(self):
        t0 = time.time()
        for step in range(1, self.steps + 1):
            self.train_step()
            self.dev_step()
            if step % 40 == 0:
                print(f"step {step:4d}  train {self.train_avg.value:.4f}  dev {self.dev_avg.value:.4f}  "
                      f"lr {self.sched.get_last_lr()[0]:.1e}  rss {rss_mb():.0f} MB  {time.time() - t0:.1f}s")

    @torch.no_grad()
    def test(self, batches=10):
        self.net.eval()
        stream = iter(ToneStream(32, seed=99))
        gain = []
        for _ in range(batches):
            noisy, clean = next(stream)
            err = (self.net(noisy) - clean).pow(2).mean((1, 2))
            ref = (noisy - clean).pow(2).mean((1, 2))
            gain.append(10 * torch.log10(ref / err))
        return torch.cat(gain).mean().item()


if __name__ == "__main__":
    trainer = Trainer()
    trainer.fit()
    print(f"SNR improvement on fresh tones: {trainer.test():.2f} dB, resident memory {rss_mb():.0f} MB")
