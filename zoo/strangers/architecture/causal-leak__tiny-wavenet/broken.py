"""Tiny WaveNet: next-sample model of a quantised synth signal. Reports nats per sample on held-out takes."""
from dataclasses import dataclass

import torch
import torch.nn as nn
import torch.nn.functional as F


@dataclass
class Config:
    levels: int = 24
    hidden: int = 20
    kernel: int = 3
    dilations: tuple = (1, 2, 4, 8)
    steps: int = 320
    batch_size: int = 24
    crop: int = 96
    lr: float = 4e-3
    seed: int = 5


def record_takes(n, length, levels, gen):
    """Sum of two detuned partials with phase jitter, companded and quantised to integer levels."""
    t = torch.arange(length).float()
    f1 = 0.12 + 0.10 * torch.rand(n, 1, generator=gen)
    f2 = 2.0 * f1 + 0.02 * torch.randn(n, 1, generator=gen)
    jitter = torch.cumsum(0.12 * torch.randn(n, length, generator=gen), dim=1)
    wave = 0.65 * torch.sin(f1 * t + jitter) + 0.35 * torch.sin(f2 * t + 1.3)
    wave = wave + 0.08 * torch.randn(n, length, generator=gen)
    companded = torch.sign(wave) * torch.log1p(8 * wave.abs()) / torch.log1p(torch.tensor(8.0))
    return ((companded.clamp(-1, 1) + 1) / 2 * (levels - 1)).round().long()


class DilatedConv(nn.Module):
    def __init__(self, cfg, dilation):
        super().__init__()
        self.span = (cfg.kernel - 1) * dilation
        self.conv = nn.Conv1d(cfg.hidden, 2 * cfg.hidden, cfg.kernel, dilation=dilation)
        self.out = nn.Conv1d(cfg.hidden, cfg.hidden, 1)

    def forward(self, x):
        y = self.conv(F.pad(x, (self.span // 2, self.span // 2)))
        a, b = y.chunk(2, dim=1)
        return x + self.out(torch.tanh(a) * torch.sigmoid(b))


class TinyWaveNet(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        self.embed = nn.Embedding(cfg.levels, cfg.hidden)
        self.layers = nn.Sequential(*[DilatedConv(cfg, d) for d in cfg.dilations])
        self.readout = nn.Sequential(nn.ReLU(), nn.Conv1d(cfg.hidden, cfg.hidden, 1), nn.ReLU(),
                                     nn.Conv1d(cfg.hidden, cfg.levels, 1))

    def forward(self, samples):
        return self.readout(self.layers(self.embed(samples).transpose(1, 2)))


def next_sample_loss(model, takes):
    logits = model(takes[:, :-1])
    return F.cross_entropy(logits, takes[:, 1:])


class Trainer:
    def __init__(self, cfg):
        self.cfg = cfg
        torch.manual_seed(cfg.seed)
        gen = torch.Generator().manual_seed(cfg.seed)
        self.train_takes = record_takes(160, 400, cfg.levels, gen)
        self.val_takes = record_takes(24, 200, cfg.levels, gen)
        self.test_takes = record_takes(40, 200, cfg.levels, gen)
        self.model = TinyWaveNet(cfg)
        self.opt = torch.optim.Adam(self.model.parameters(), lr=cfg.lr)
        self.sched = torch.optim.lr_scheduler.OneCycleLR(self.opt, max_lr=cfg.lr, total_steps=cfg.steps)

    def sample_crops(self):
        c = self.cfg
        rows = torch.randint(len(self.train_takes), (c.batch_size,))
        starts = torch.randint(self.train_takes.shape[1] - c.crop, (c.batch_size,))
        return torch.stack([self.train_takes[r, s:s + c.crop] for r, s in zip(rows, starts)])

    @torch.no_grad()
    def evaluate(self, takes):
        self.model.eval()
        return next_sample_loss(self.model, takes).item()

    def fit(self):
        for step in range(1, self.cfg.steps + 1):
            self.model.train()
            loss = next_sample_loss(self.model, self.sample_crops())
            self.opt.zero_grad(set_to_none=True)
            loss.backward()
            nn.utils.clip_grad_norm_(self.model.parameters(), 5.0)
            self.opt.step()
            self.sched.step()
            if step % 40 == 0:
                print(f"step {step:4d} train {loss.item():.3f} val {self.evaluate(self.val_takes):.3f} nats")

    def report(self):
        counts = torch.bincount(self.train_takes.flatten(), minlength=self.cfg.levels).float() + 1
        prior = (counts / counts.sum()).log()
        base = -prior[self.test_takes[:, 1:]].mean().item()
        print(f"unigram baseline {base:.3f} nats | model {self.evaluate(self.test_takes):.3f} nats per sample")


if __name__ == "__main__":
    trainer = Trainer(Config())
    trainer.fit()
    trainer.report()
