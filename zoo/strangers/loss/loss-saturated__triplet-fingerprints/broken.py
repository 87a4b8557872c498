"""Metric learning on synthetic sensor fingerprints with a triplet objective.

Every device emits a short fingerprint that lives in a small subspace and is buried in strong, shared
interference. We train an embedding so that readings of the same device end up close to each other and
report Recall@1 on readings that were never used for training.
"""
import logging
from dataclasses import dataclass

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F

logging.basicConfig(level=logging.INFO, format="%(asctime)s %(message)s", datefmt="%H:%M:%S")
logger = logging.getLogger("triplet")


@dataclass
class TripletConfig:
    n_devices: int = 12
    readings_per_device: int = 120
    signal_dim: int = 6
    ambient_dim: int = 40
    interference: float = 2.5
    embed_dim: int = 16
    hidden: int = 96
    margin: float = 0.5
    batch_size: int = 128
    steps: int = 900
    lr: float = 1e-3
    seed: int = 7


def make_fingerprints(cfg: TripletConfig):
    rng = np.random.default_rng(cfg.seed)
    centers = rng.normal(size=(cfg.n_devices, cfg.signal_dim)) * 1.6
    labels = np.repeat(np.arange(cfg.n_devices), cfg.readings_per_device)
    signal = centers[labels] + 0.35 * rng.normal(size=(len(labels), cfg.signal_dim))
    noise = cfg.interference * rng.normal(size=(len(labels), cfg.ambient_dim - cfg.signal_dim))
    mixing, _ = np.linalg.qr(rng.normal(size=(cfg.ambient_dim, cfg.ambient_dim)))
    x = np.concatenate([signal, noise], axis=1) @ mixing
    order = rng.permutation(len(labels))
    x, labels = x[order], labels[order]
    cut = int(0.7 * len(labels))
    mean, std = x[:cut].mean(0), x[:cut].std(0)
    x = ((x - mean) / std).astype(np.float32)
    to_t = torch.from_numpy
    return (to_t(x[:cut]), to_t(labels[:cut])), (to_t(x[cut:]), to_t(labels[cut:]))


class EmbeddingNet(nn.Module):
    def __init__(self, cfg: TripletConfig):
        super().__init__()
        self.net = nn.Sequential(
            nn.Linear(cfg.ambient_dim, cfg.hidden),
            nn.ReLU(),
            nn.Linear(cfg.hidden, cfg.embed_dim),
        )

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return F.normalize(self.net(x), dim=-1)


class TripletSampler:
    """Draws anchors uniformly, a positive of the same device and a negative of another one."""

    def __init__(self, labels: torch.Tensor, seed: int):
        self.labels = labels.numpy()
        self.rng = np.random.default_rng(seed)
        self.members = {d: np.flatnonzero(self.labels == d) for d in np.unique(self.labels)}
        self.others = {d: np.flatnonzero(self.labels != d) for d in self.members}

    def sample(self, n: int):
        anchors = self.rng.integers(0, len(self.labels), size=n)
        devices = self.labels[anchors]
        positives = np.array([self.rng.choice(self.members[d]) for d in devices])
        negatives = np.array([self.rng.choice(self.others[d]) for d in devices])
        return torch.from_numpy(anchors), torch.from_numpy(positives), torch.from_numpy(negatives)


def triplet_loss(a: torch.Tensor, p: torch.Tensor, n: torch.Tensor, margin: float) -> torch.Tensor:
    d_pos = (a - p).pow(2).sum(dim=1)
    d_neg = (a - n).pow(2).sum(dim=1)
    return F.relu(d_pos - d_neg - margin).mean()


@torch.no_grad()
def recall_at_1(model: nn.Module, gallery, queries) -> float:
    model.eval()
    g, q = model(gallery[0]), model(queries[0])
    nearest = (q @ g.T).argmax(dim=1)
    return (gallery[1][nearest] == queries[1]).float().mean().item()


def train(cfg: TripletConfig) -> float:
    torch.manual_seed(cfg.seed)
    train_set, test_set = make_fingerprints(cfg)
    model = EmbeddingNet(cfg)
    optimizer = torch.optim.Adam(model.parameters(), lr=cfg.lr)
    sampler = TripletSampler(train_set[1], cfg.seed)
    running = 0.0
    for step in range(1, cfg.steps + 1):
        model.train()
        ia, ip, ineg = sampler.sample(cfg.batch_size)
        x = train_set[0]
        loss = triplet_loss(model(x[ia]), model(x[ip]), model(x[ineg]), cfg.margin)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        running += loss.item()
        if step % 150 == 0:
            logger.info("step %4d  mean triplet loss %.4f", step, running / 150)
            running = 0.0
    return recall_at_1(model, train_set, test_set)


if __name__ == "__main__":
    score = train(TripletConfig())
    logger.info("test Recall@1: %.3f", score)
