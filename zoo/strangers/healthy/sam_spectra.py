"""Sharpness-aware minimisation versus SGD, small 1-D conv net on noisy synthetic spectra."""
import torch
from torch import nn


class SAM:
    """Wraps a base optimiser. climb() -> second backward -> descend()."""

    def __init__(self, base, rho):
        self.base, self.rho, self.memo = base, rho, []

    @property
    def params(self):
        return [p for g in self.base.param_groups for p in g["params"] if p.grad is not None]

    @torch.no_grad()
    def climb(self):
        norm = torch.stack([p.grad.norm() for p in self.params]).norm()
        self.memo = []
        for p in self.params:
            e = p.grad * (self.rho / (norm + 1e-12))
            p.add_(e)
            self.memo.append((p, e))
        self.base.zero_grad()

    @torch.no_grad()
    def descend(self):
        for p, e in self.memo:
            p.sub_(e)
        self.base.step()
        self.base.zero_grad()


def spectra(n, gen):
    grid = torch.linspace(0, 1, 64)
    peaks = torch.tensor([[.2, .5, .8], [.2, .45, .8], [.25, .5, .75], [.2, .5, .72], [.3, .55, .8], [.2, .6, .8]])
    y = torch.randint(0, 6, (n,), generator=gen)
    pos = peaks[y] + 0.012 * torch.randn(n, 3, generator=gen)
    amp = 0.6 + 0.8 * torch.rand(n, 3, generator=gen)
    wid = 0.02 + 0.02 * torch.rand(n, 1, generator=gen)
    x = (amp[..., None] * torch.exp(-((grid - pos[..., None]) / wid[..., None]) ** 2)).sum(1)
    x = x + torch.rand(n, 1, generator=gen) * grid + 0.12 * torch.randn(n, 64, generator=gen)
    return x.unsqueeze(1), y


def net():
    return nn.Sequential(
        nn.Conv1d(1, 16, 7, padding=3), nn.GroupNorm(4, 16), nn.ReLU(), nn.MaxPool1d(2),
        nn.Conv1d(16, 32, 5, padding=2), nn.GroupNorm(4, 32), nn.ReLU(), nn.MaxPool1d(2),
        nn.Flatten(), nn.Linear(32 * 16, 6))


def holdout(model, x, y):
    model.eval()
    with torch.no_grad():
        z = model(x)
        return nn.functional.cross_entropy(z, y).item(), (z.argmax(1) == y).float().mean().item()


def go(use_sam, data, epochs=15):
    torch.manual_seed(21)
    (xa, ya), (xv, yv), _ = data
    model = net()
    ce = nn.CrossEntropyLoss(label_smoothing=0.05)
    base = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9, weight_decay=5e-4)
    sam = SAM(base, rho=0.05)
    sched = torch.optim.lr_scheduler.CosineAnnealingLR(base, epochs)
    for ep in range(epochs):
        model.train()
        run = 0.0
        for idx in torch.randperm(len(xa)).split(50):
            loss = ce(model(xa[idx]), ya[idx])
            loss.backward()
            if use_sam:
                sam.climb()
                ce(model(xa[idx]), ya[idx]).backward()
                sam.descend()
            else:
                base.step()
                base.zero_grad()
            run += loss.item() * len(idx)
        sched.step()
        if (ep + 1) % 3 == 0:
            vl, vacc = holdout(model, xv, yv)
            print(f"{'SAM' if use_sam else 'SGD'} | ep {ep + 1:>2} | smoothed CE {run / len(xa):.3f} | val CE {vl:.3f} | val acc {vacc:.3f}")
    return model


if __name__ == "__main__":
    gen = torch.Generator().manual_seed(21)
    data = [spectra(n, gen) for n in (1200, 400, 1500)]
    m, s = data[0][0].mean(), data[0][0].std()
    data = [((x - m) / s, y) for x, y in data]
    finals = {k: holdout(go(k == "SAM", data), *data[2]) for k in ("SGD", "SAM")}
    for k, (l, a) in finals.items():
        print(f"=> {k}: test CE {l:.4f}, test accuracy {a:.4f}")
