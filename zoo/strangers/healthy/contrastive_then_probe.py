"""Two phases in one trainer: contrastive pretraining without labels (NT-Xent), then a linear probe on frozen features.

Phase one treats the other examples of the batch as negatives, so its loss depends on the batch size, starts near
ln(2B - 1) and has a floor far from zero. The projection head is thrown away afterwards. Data: spectra of ten compounds
seen through random gain, shift and noise.
"""
import math
from dataclasses import dataclass

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn


@dataclass(frozen=True)
class Settings:
    classes: int = 10
    bins: int = 64
    batch: int = 128
    temperature: float = 0.25
    pre_epochs: int = 16
    probe_epochs: int = 30
    seed: int = 23


class Spectra:
    def __init__(self, s: Settings):
        self.rng = np.random.default_rng(s.seed)
        grid = np.linspace(0, 1, s.bins)
        peaks = self.rng.uniform(0.1, 0.9, size=(s.classes, 4))
        heights = self.rng.uniform(0.5, 1.5, size=(s.classes, 4))
        self.grid, self.peaks, self.heights, self.k = grid, peaks, heights, s.classes

    def draw(self, n):
        y = self.rng.integers(self.k, size=n)
        jitter = self.rng.normal(scale=0.008, size=(n, 4))
        height = self.heights[y] * self.rng.lognormal(sigma=0.25, size=(n, 4))
        bumps = np.exp(-0.5 * ((self.grid - (self.peaks[y] + jitter)[..., None]) / 0.03) ** 2)
        x = (height[..., None] * bumps).sum(1)
        return torch.tensor(x, dtype=torch.float32), torch.from_numpy(y)


def view(x):
    """One random look at each spectrum: gain, roll by up to two bins, noise."""
    gain = torch.empty(len(x), 1).uniform_(0.7, 1.3)
    cols = (torch.arange(x.shape[1]) + torch.randint(-2, 3, (len(x), 1))) % x.shape[1]
    return gain * x.gather(1, cols) + 0.25 * torch.randn_like(x)


def nt_xent(a, b, temperature):
    z = F.normalize(torch.cat([a, b]), dim=1)
    sim = z @ z.T / temperature
    sim.fill_diagonal_(-math.inf)  # never compare an example with itself
    n = len(a)
    partner = torch.arange(2 * n).roll(n)
    return F.cross_entropy(sim, partner)


class TwoPhaseTrainer:
    def __init__(self, s: Settings):
        self.s = s
        torch.manual_seed(s.seed)
        self.encoder = nn.Sequential(nn.Linear(s.bins, 128), nn.BatchNorm1d(128), nn.ReLU(), nn.Linear(128, 64), nn.ReLU())
        self.projector = nn.Sequential(nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 32))
        self.probe = nn.Linear(64, s.classes)

    def pretrain(self, x):
        params = [*self.encoder.parameters(), *self.projector.parameters()]
        opt = torch.optim.AdamW(params, lr=2e-3, weight_decay=1e-4)
        sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, self.s.pre_epochs)
        self.encoder.train()
        for epoch in range(self.s.pre_epochs):
            total = batches = 0
            for idx in torch.randperm(len(x)).split(self.s.batch):
                if len(idx) < self.s.batch:
                    continue  # a short batch has fewer negatives: another loss scale
                a, b = (self.projector(self.encoder(view(x[idx]))) for _ in range(2))
                loss = nt_xent(a, b, self.s.temperature)
                opt.zero_grad()
                loss.backward()
                opt.step()
                total, batches = total + loss.item(), batches + 1
            sched.step()
            if epoch % 3 == 0:
                print(f"pretrain epoch {epoch:2d} nt-xent {total / batches:.4f} (chance {math.log(2 * self.s.batch - 1):.2f})")

    @torch.no_grad()
    def features(self, x):
        self.encoder.eval()
        return self.encoder(x)

    def fit_probe(self, x, y):
        feats = self.features(x)  # encoder frozen: computed once
        self.mu, self.sd = feats.mean(0), feats.std(0) + 1e-3
        feats = (feats - self.mu) / self.sd
        opt = torch.optim.SGD(self.probe.parameters(), lr=0.1, momentum=0.9, weight_decay=2e-3)
        for epoch in range(self.s.probe_epochs):
            opt.param_groups[0]["lr"] = 0.1 * (1 - epoch / self.s.probe_epochs)
            total = 0.0
            for idx in torch.randperm(len(y)).split(100):
                loss = F.cross_entropy(self.probe(feats[idx]), y[idx])
                opt.zero_grad()
                loss.backward()
                opt.step()
                total += loss.item() * len(idx)
            if epoch % 6 == 5:
                print(f"probe epoch {epoch:2d} loss {total / len(y):.4f}")

    @torch.no_grad()
    def score(self, x, y):
        logits = self.probe((self.features(x) - self.mu) / self.sd)
        return F.cross_entropy(logits, y).item(), (logits.argmax(1) == y).float().mean().item()


def main():
    s = Settings()
    source = Spectra(s)
    unlabelled, _ = source.draw(5000)
    (x_lab, y_lab), (x_test, y_test) = source.draw(600), source.draw(2000)
    mean, std = unlabelled.mean(), unlabelled.std()
    unlabelled, x_lab, x_test = ((t - mean) / std for t in (unlabelled, x_lab, x_test))
    x_lab, x_test = (t + 0.25 * torch.randn(t.shape, generator=torch.Generator().manual_seed(i))
                     for i, t in enumerate((x_lab, x_test)))  # detector noise, drawn once
    trainer = TwoPhaseTrainer(s)
    trainer.pretrain(unlabelled)
    trainer.fit_probe(x_lab, y_lab)
    train_loss, train_acc = trainer.score(x_lab, y_lab)
    loss, acc = trainer.score(x_test, y_test)
    print(f"final: probe train loss {train_loss:.4f} acc {train_acc:.3f} | test loss {loss:.4f} acc {acc:.3f} (chance 0.10)")


if __name__ == "__main__":
    main()
