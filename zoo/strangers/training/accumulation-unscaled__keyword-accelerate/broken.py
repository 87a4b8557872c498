"""Keyword spotting on synthetic audio envelopes, micro-batches with accelerate."""
import math
from types import SimpleNamespace

import torch
import torch.nn as nn
import torch.nn.functional as F
from accelerate import Accelerator
from accelerate.utils import set_seed
from torch.utils.data import DataLoader, Dataset

cfg = SimpleNamespace(
    words=6, samples=96, channels=8, n_train=1536, n_val=480,
    micro_batch=8, accumulate=16, epochs=7, lr=0.08, momentum=0.9, seed=17,
)


class Clips(Dataset):
    def __init__(self, n, seed):
        gen = torch.Generator().manual_seed(seed)
        t = torch.linspace(0, 1, cfg.samples)
        self.y = torch.randint(0, cfg.words, (n,), generator=gen)
        u = torch.rand(n, cfg.channels, 1, generator=gen)
        band = torch.arange(cfg.channels).float()[None, :, None]
        word = self.y[:, None, None].float()
        pitch = 2 + 1.5 * word + 0.3 * u
        shape = torch.cos((band + 1) * (word + 1) * 0.9)
        start = 0.15 * torch.rand(n, 1, 1, generator=gen)
        envelope = torch.exp(-((t - 0.45 - start) / 0.2) ** 2)
        clean = shape * envelope * torch.sin(2 * math.pi * pitch * (t - start))
        self.x = (clean + 0.7 * torch.randn(clean.shape, generator=gen)) / 0.8

    def __len__(self):
        return len(self.y)

    def __getitem__(self, i):
        return self.x[i], self.y[i]


class Spotter(nn.Module):
    def __init__(self, width=24):
        super().__init__()
        self.conv1 = nn.Conv1d(cfg.channels, width, 7, stride=2, padding=3)
        self.conv2 = nn.Conv1d(width, width, 5, stride=2, padding=2)
        self.conv3 = nn.Conv1d(width, width, 5, stride=2, padding=2)
        self.norms = nn.ModuleList([nn.GroupNorm(4, width) for _ in range(3)])
        self.head = nn.Linear(width, cfg.words)

    def forward(self, x):
        for conv, norm in zip((self.conv1, self.conv2, self.conv3), self.norms):
            x = F.relu(norm(conv(x)))
        return self.head(x.amax(-1))


def train_epoch(accelerator, model, optimizer, loader):
    model.train()
    total, n = 0.0, 0
    for x, y in loader:
        with accelerator.accumulate(model):
            loss = F.cross_entropy(model(x), y)
            loss.backward()
            optimizer.step()
            optimizer.zero_grad()
        total += loss.item() * len(y)
        n += len(y)
    return total / n


@torch.no_grad()
def validate(accelerator, model, loader):
    model.eval()
    loss = hits = n = 0
    for x, y in loader:
        out = model(x)
        loss += F.cross_entropy(out, y, reduction="sum").item()
        hits += (out.argmax(1) == y).sum().item()
        n += len(y)
    return loss / n, hits / n


def main():
    set_seed(cfg.seed)
    accelerator = Accelerator(cpu=True, gradient_accumulation_steps=cfg.accumulate)
    model = Spotter()
    optimizer = torch.optim.SGD(model.parameters(), lr=cfg.lr, momentum=cfg.momentum)
    train_loader = DataLoader(Clips(cfg.n_train, 1), batch_size=cfg.micro_batch, shuffle=True)
    val_loader = DataLoader(Clips(cfg.n_val, 2), batch_size=120)
    model, optimizer, train_loader, val_loader = accelerator.prepare(model, optimizer, train_loader, val_loader)

    for epoch in range(1, cfg.epochs + 1):
        train_loss = train_epoch(accelerator, model, optimizer, train_loader)
        val_loss, val_acc = validate(accelerator, model, val_loader)
        accelerator.print(f"epoch {epoch:2d}  train {train_loss:.4f}  val {val_loss:.4f}  acc {val_acc:.3f}")
    accelerator.print(f"final accuracy {val_acc:.4f}")


if __name__ == "__main__":
    main()
