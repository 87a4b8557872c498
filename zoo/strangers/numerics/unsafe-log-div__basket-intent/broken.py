"""Purchase-intent model: static user features + the pooled history of viewed items."""
import logging
import math
from dataclasses import dataclass

import torch
import torch.nn as nn

logging.basicConfig(level=logging.INFO, format="%(levelname)s %(message)s")
log = logging.getLogger("intent")


@dataclass(frozen=True)
class Settings:
    n_items: int = 120
    max_hist: int = 12
    n_static: int = 5
    emb: int = 16
    hidden: int = 48
    lr: float = 3e-3
    batch: int = 128
    epochs: int = 8
    clip: float = 2.0
    seed: int = 99


def synth(s, n, gen):
    taste = torch.randn(s.n_items, generator=torch.Generator().manual_seed(1))
    length = torch.randint(1, s.max_hist + 1, (n,), generator=gen)
    length[torch.rand(n, generator=gen) < 0.05] = 0          # visitors without history
    items = torch.randint(0, s.n_items, (n, s.max_hist), generator=gen)
    mask = (torch.arange(s.max_hist) < length[:, None]).float()
    static = torch.randn(n, s.n_static, generator=gen)
    pooled = (taste[items] * mask).sum(1) / length.clamp(min=1)
    score = 4.0 * pooled + 0.8 * static[:, 0] - 0.5 * static[:, 1]
    y = (torch.rand(n, generator=gen) < torch.sigmoid(1.5 * score)).float()
    return items, mask, static, y


class HistoryPool(nn.Module):
    """Mean of the item vectors that are really there; zero for an empty history."""

    def __init__(self, n_items, dim):
        super().__init__()
        self.items = nn.Embedding(n_items, dim)
        nn.init.normal_(self.items.weight, std=0.2)
        self.proj = nn.Linear(dim, dim)

    def forward(self, items, mask):
        vec = torch.tanh(self.proj(self.items(items))) * mask.unsqueeze(-1)
        count = mask.sum(1, keepdim=True)
        mean = vec.sum(1) / count
        return torch.where(count > 0, mean, torch.zeros_like(mean))


class IntentModel(nn.Module):
    def __init__(self, s):
        super().__init__()
        self.pool = HistoryPool(s.n_items, s.emb)
        self.net = nn.Sequential(
            nn.Linear(s.emb + s.n_static, s.hidden), nn.ReLU(), nn.Linear(s.hidden, 1)
        )

    def forward(self, items, mask, static):
        return self.net(torch.cat([self.pool(items, mask), static], 1)).squeeze(1)


def auc(score, y):
    rank = score.argsort().argsort().double() + 1
    pos = y.sum().item()
    neg = len(y) - pos
    return (rank[y == 1].sum().item() - pos * (pos + 1) / 2) / (pos * neg)


@torch.no_grad()
def evaluate(model, data):
    model.eval()
    *x, y = data
    out = model(*x)
    return nn.functional.binary_cross_entropy_with_logits(out, y).item(), auc(out, y)


def train(s):
    torch.manual_seed(s.seed)
    gen = torch.Generator().manual_seed(s.seed)
    data, val, test = synth(s, 8000, gen), synth(s, 2000, gen), synth(s, 2000, gen)
    model = IntentModel(s)
    opt = torch.optim.Adam(model.parameters(), lr=s.lr)
    bce = nn.BCEWithLogitsLoss()
    for epoch in range(s.epochs):
        model.train()
        seen, total = 0, 0.0
        for idx in torch.randperm(len(data[0])).split(s.batch):
            *x, y = (t[idx] for t in data)
            loss = bce(model(*x), y)
            opt.zero_grad()
            loss.backward()
            norm = nn.utils.clip_grad_norm_(model.parameters(), s.clip)
            if math.isfinite(norm):
                opt.step()
            total += loss.item() * len(idx)
            seen += len(idx)
        vl, va = evaluate(model, val)
        log.info("epoch %d train=%.4f val=%.4f auc=%.3f", epoch, total / seen, vl, va)
    log.info("test loss=%.4f auc=%.3f", *evaluate(model, test))


if __name__ == "__main__":
    train(Settings())
