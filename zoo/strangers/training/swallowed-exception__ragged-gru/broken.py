"""Gesture recognition from ragged pen traces: bucketed batches, time masking, a GRU."""
import logging
import sys
from collections import defaultdict

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F

logging.basicConfig(stream=sys.stdout, level=logging.INFO, format="%(levelname)-5s %(message)s")
logger = logging.getLogger("gesture")

config = {
    "seed": 17,
    "gestures": ["tap", "flick", "hook", "wave", "spiral"],
    "n_per_class": {"train": 240, "val": 60, "test": 60},
    "augment": {"mask_width": 8},
    "model": {"hidden": 40},
    "train": {"epochs": 14, "batch_size": 24, "lr": 2e-3},
}

LENGTHS = {"tap": (6, 8), "flick": (6, 8), "hook": (12, 16), "wave": (18, 24), "spiral": (18, 24)}


def draw(kind, rng):
    lo, hi = LENGTHS[kind]
    t = np.linspace(0, 1, rng.choice([lo, (lo + hi) // 2, hi]))
    if kind == "tap":
        path = np.stack([0.15 * np.sin(6 * t), 0.15 * np.cos(6 * t)], 1)
    elif kind == "flick":
        path = np.stack([1.5 * t, 0.3 * t ** 2], 1)
    elif kind == "hook":
        path = np.stack([t, -np.abs(2 * t - 1.2)], 1)
    elif kind == "wave":
        path = np.stack([1.6 * t, 0.5 * np.sin(12 * t)], 1)
    else:
        path = np.stack([t * np.cos(11 * t), t * np.sin(11 * t)], 1)
    a = rng.normal(0, 0.25)
    rot = np.array([[np.cos(a), -np.sin(a)], [np.sin(a), np.cos(a)]])
    path = path @ rot.T * rng.uniform(0.8, 1.2) + rng.normal(0, 0.05, path.shape)
    return (path - path[:1]).astype(np.float32)


def make_split(n, rng):
    traces, labels = [], []
    for k, kind in enumerate(config["gestures"]):
        traces += [torch.from_numpy(draw(kind, rng)) for _ in range(n)]
        labels += [k] * n
    return traces, labels


def bucket_batches(traces, labels, batch_size, rng=None):
    buckets = defaultdict(list)
    order = np.arange(len(traces)) if rng is None else rng.permutation(len(traces))
    for i in order:
        buckets[len(traces[i])].append(i)
    batches = [ids[s:s + batch_size] for ids in buckets.values() for s in range(0, len(ids), batch_size)]
    if rng is not None:
        rng.shuffle(batches)
    for ids in batches:
        yield torch.stack([traces[i] for i in ids]), torch.tensor([labels[i] for i in ids])


def time_mask(x, width, rng):
    """Blank one stretch of `width` steps in the middle of the traces."""
    steps = x.shape[1]
    start = rng.integers(0, steps - width)
    x = x.clone()
    x[:, start:start + width] = 0.0
    return x


class GestureNet(nn.Module):
    def __init__(self, hidden, n_classes):
        super().__init__()
        self.gru = nn.GRU(2, hidden, batch_first=True)
        self.head = nn.Linear(2 * hidden, n_classes)

    def forward(self, x):
        states, last = self.gru(x)
        return self.head(torch.cat([last[-1], states.mean(dim=1)], dim=1))


def train_step(model, opt, x, y, rng):
    x = time_mask(x, config["augment"]["mask_width"], rng)
    loss = F.cross_entropy(model(x), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
    return loss.item()


@torch.no_grad()
def evaluate(model, split):
    model.eval()
    hits, counts = defaultdict(int), defaultdict(int)
    for x, y in bucket_batches(*split, batch_size=128):
        for t, p in zip(y.tolist(), model(x).argmax(1).tolist()):
            hits[t] += int(t == p)
            counts[t] += 1
    per_class = {config["gestures"][k]: hits[k] / counts[k] for k in sorted(counts)}
    return sum(hits.values()) / sum(counts.values()), per_class


def main():
    torch.set_num_threads(1)
    torch.manual_seed(config["seed"])
    rng = np.random.default_rng(config["seed"])
    splits = {k: make_split(n, rng) for k, n in config["n_per_class"].items()}
    points = torch.cat(splits["train"][0])
    centre, scale = points.mean(dim=0), points.std(dim=0)
    splits = {k: ([(x - centre) / scale for x in xs], ys) for k, (xs, ys) in splits.items()}

    tcfg = config["train"]
    model = GestureNet(config["model"]["hidden"], len(config["gestures"]))
    opt = torch.optim.Adam(model.parameters(), lr=tcfg["lr"])
    for epoch in range(tcfg["epochs"]):
        model.train()
        total, seen = 0.0, 0
        for x, y in bucket_batches(*splits["train"], tcfg["batch_size"], rng):
            try:
                loss = train_step(model, opt, x, y, rng)
            except ValueError as err:
                logger.debug("skipping batch: %s", err)
                continue
            total += loss * len(y)
            seen += len(y)
        acc, _ = evaluate(model, splits["val"])
        logger.info("epoch %2d  train loss %.4f  val acc %.3f", epoch, total / seen, acc)

    acc, per_class = evaluate(model, splits["test"])
    logger.info("test acc %.3f  %s", acc, {k: round(v, 2) for k, v in per_class.items()})


if __name__ == "__main__":
    main()
