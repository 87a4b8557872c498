"""Two instruments, one sample: contrastive alignment of a pair of towers, scored by cross-retrieval."""
import collections
import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F

RunLog = collections.namedtuple("RunLog", "epoch nce align r_at_1 r_at_5")


class SpectraWorld:
    """Latent substance -> two instruments that see it through different random optics."""

    def __init__(self, n, n_substances=12, dim=40, seed=0):
        rng = np.random.default_rng(seed)
        optics = np.random.default_rng(123)
        anchors = optics.normal(size=(n_substances, 6)) * 1.6
        self.substance = rng.integers(0, n_substances, n)
        latent = anchors[self.substance] + 0.6 * rng.normal(size=(n, 6))
        self.views = []
        for _ in range(2):
            w1, w2 = optics.normal(size=(6, 30)), optics.normal(size=(30, dim)) / 5
            clean = np.tanh(latent @ w1 / 2) @ w2
            nuisance = rng.normal(size=(n, 4)) @ optics.normal(size=(4, dim)) * 1.2
            view = clean + nuisance + 0.2 * rng.normal(size=(n, dim))
            self.views.append(torch.tensor(view, dtype=torch.float32))

    def __len__(self):
        return len(self.substance)


class Tower(nn.Module):
    def __init__(self, d_in=40, width=96, d_out=32):
        super().__init__()
        self.trunk = nn.Sequential(nn.Linear(d_in, width), nn.ReLU(), nn.Linear(width, width), nn.ReLU())
        self.project = nn.Linear(width, d_out)

    def forward(self, x):
        return self.project(self.trunk(x))


def unit(z):
    return F.normalize(z, dim=0)


def info_nce(za, zb, temperature):
    logits = unit(za) @ unit(zb).T / temperature
    target = torch.arange(len(za))
    return 0.5 * (F.cross_entropy(logits, target) + F.cross_entropy(logits.T, target))


@torch.no_grad()
def recall_at(za, zb, k):
    sim = unit(za) @ unit(zb).T
    top = sim.topk(k, dim=1).indices
    return (top == torch.arange(len(za))[:, None]).any(1).float().mean().item()


def run(epochs=24, batch=128, temperature=0.1, lr=2e-3, seed=4):
    torch.manual_seed(seed)
    train, test = SpectraWorld(4000, seed=seed), SpectraWorld(500, seed=seed + 1)
    left, right = Tower(), Tower()
    opt = torch.optim.AdamW([*left.parameters(), *right.parameters()], lr=lr, weight_decay=1e-2)
    sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, epochs)
    for epoch in range(epochs):
        nce = align = seen = 0.0
        for idx in torch.randperm(len(train)).split(batch):
            za, zb = left(train.views[0][idx]), right(train.views[1][idx])
            loss = info_nce(za, zb, temperature)
            opt.zero_grad()
            loss.backward()
            opt.step()
            nce += loss.item() * len(idx)
            align += F.cosine_similarity(za, zb).sum().item()
            seen += len(idx)
        sched.step()
        with torch.no_grad():
            qa, qb = left(test.views[0]), right(test.views[1])
        log = RunLog(epoch, nce / seen, align / seen, recall_at(qa, qb, 1), recall_at(qa, qb, 5))
        if epoch % 3 == 2:
            print(" ".join(f"{k}={v:.3f}" if isinstance(v, float) else f"{k}={v}"
                           for k, v in log._asdict().items()))
    return log


if __name__ == "__main__":
    last = run()
    print(f"held-out retrieval over 500 candidates: recall@1 {last.r_at_1:.3f}, recall@5 {last.r_at_5:.3f}")
