"""Denoising pre-training on all training scans, then a linear probe: the encoder stays frozen, in eval mode, outside the optimizer."""
import torch
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split
from torch import nn


class Encoder(nn.Module):
    def __init__(self, out=48):
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(64, 128), nn.BatchNorm1d(128), nn.ReLU(), nn.Linear(128, out), nn.BatchNorm1d(out), nn.ReLU())

    def forward(self, x):
        return self.layers(x)


class Probe(nn.Module):
    def __init__(self, encoder, dim=48, classes=10):
        super().__init__()
        self.encoder = encoder.requires_grad_(False)
        self.head = nn.Linear(dim, classes)

    def train(self, mode=True):
        super().train(mode)
        self.encoder.eval()
        return self

    def forward(self, x):
        with torch.no_grad():
            h = self.encoder(x)
        return self.head(h)


def loader(x, y, size, gen):
    order = torch.randperm(len(x), generator=gen)
    for i in range(0, len(order) - size + 1, size):
        pick = order[i:i + size]
        yield x[pick], y[pick]


def main():
    torch.manual_seed(33)
    gen = torch.Generator().manual_seed(33)
    X, y = load_digits(return_X_y=True)
    Xtr, Xte, ytr, yte = train_test_split(X, y, test_size=0.3, stratify=y, random_state=33)
    mean, std = Xtr.mean(0), Xtr.std(0) + 0.5
    t = lambda a: torch.tensor((a - mean) / std, dtype=torch.float32)
    xtr, xte, ytr, yte = t(Xtr), t(Xte), torch.tensor(ytr), torch.tensor(yte)

    encoder, decoder = Encoder(), nn.Linear(48, 64)
    opt = torch.optim.Adam([*encoder.parameters(), *decoder.parameters()], lr=2e-3)
    sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, 30)
    for epoch in range(30):
        encoder.train()
        total = n = 0
        for x, _ in loader(xtr, ytr, 64, gen):
            loss = nn.functional.mse_loss(decoder(encoder(x + 0.4 * torch.randn_like(x))), x)
            opt.zero_grad()
            loss.backward()
            opt.step()
            total, n = total + loss.item(), n + 1
        sched.step()
        if epoch % 6 == 5:
            print(f"pretrain {epoch + 1:2d} reconstruction {total / n:.4f}")

    probe = Probe(encoder)
    opt = torch.optim.AdamW((p for p in probe.parameters() if p.requires_grad), lr=1e-2, weight_decay=1e-2)
    sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, 25)
    for epoch in range(25):
        probe.train()
        total = n = 0
        for x, labels in loader(xtr, ytr, 64, gen):
            loss = nn.functional.cross_entropy(probe(x), labels)
            opt.zero_grad()
            loss.backward()
            opt.step()
            total, n = total + loss.item(), n + 1
        sched.step()
        if epoch % 4 == 0:
            probe.eval()
            with torch.no_grad():
                logits = probe(xte)
            print(f"probe {epoch + 1:2d} train loss {total / n:.4f} test loss {nn.functional.cross_entropy(logits, yte).item():.4f} "
                  f"test accuracy {(logits.argmax(1) == yte).float().mean().item():.4f}")


main()
