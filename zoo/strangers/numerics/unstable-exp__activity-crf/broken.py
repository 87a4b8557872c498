"""Activity segmentation of wearable-sensor streams with a linear-chain CRF.

A convolutional encoder scores the activity at every time step and a CRF layer
models how long activities last and which one follows which.
"""
from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor, nn
from torch.utils.data import DataLoader, TensorDataset


@dataclass
class SegmentationConfig:
    num_activities: int = 5
    steps: int = 80
    num_sensors: int = 4
    train_streams: int = 640
    val_streams: int = 120
    test_streams: int = 160
    hidden: int = 32
    batch_size: int = 32
    lr: float = 5e-3
    epochs: int = 8
    seed: int = 31


def simulate_streams(n: int, centres: np.ndarray, cfg: SegmentationConfig, rng: np.random.Generator):
    """Piecewise constant activities, each with its own sensor signature plus noise."""
    labels = np.empty((n, cfg.steps), dtype=np.int64)
    labels[:, 0] = rng.integers(0, cfg.num_activities, size=n)
    for t in range(1, cfg.steps):
        switch = rng.random(n) < 0.08
        step = rng.choice([1, 2], p=[0.7, 0.3], size=n)
        labels[:, t] = np.where(switch, (labels[:, t - 1] + step) % cfg.num_activities, labels[:, t - 1])
    signal = centres[labels] + rng.normal(scale=0.7, size=(n, cfg.steps, cfg.num_sensors))
    return signal.astype(np.float32), labels


class LinearChainCRF(nn.Module):
    """Negative log-likelihood and Viterbi decoding for fixed-length sequences."""

    def __init__(self, num_tags: int) -> None:
        super().__init__()
        self.start = nn.Parameter(torch.zeros(num_tags))
        self.transitions = nn.Parameter(0.1 * torch.randn(num_tags, num_tags))

    def log_partition(self, emissions: Tensor) -> Tensor:
        alpha = self.start + emissions[:, 0]
        for t in range(1, emissions.size(1)):
            scores = alpha.unsqueeze(2) + self.transitions + emissions[:, t].unsqueeze(1)
            alpha = torch.log(torch.exp(scores).sum(dim=1))
        return torch.log(torch.exp(alpha).sum(dim=1))

    def path_score(self, emissions: Tensor, tags: Tensor) -> Tensor:
        emitted = emissions.gather(2, tags.unsqueeze(2)).squeeze(2).sum(dim=1)
        moved = self.transitions[tags[:, :-1], tags[:, 1:]].sum(dim=1)
        return self.start[tags[:, 0]] + emitted + moved

    def forward(self, emissions: Tensor, tags: Tensor) -> Tensor:
        nll = self.log_partition(emissions) - self.path_score(emissions, tags)
        return nll.mean() / emissions.size(1)

    @torch.no_grad()
    def decode(self, emissions: Tensor) -> Tensor:
        score = self.start + emissions[:, 0]
        history = []
        for t in range(1, emissions.size(1)):
            best, pointer = (score.unsqueeze(2) + self.transitions).max(dim=1)
            score = best + emissions[:, t]
            history.append(pointer)
        tag = score.argmax(dim=1)
        path = [tag]
        for pointer in reversed(history):
            tag = pointer.gather(1, tag.unsqueeze(1)).squeeze(1)
            path.append(tag)
        return torch.stack(path[::-1], dim=1)


class ActivityTagger(nn.Module):
    def __init__(self, cfg: SegmentationConfig) -> None:
        super().__init__()
        self.encoder = nn.Sequential(
            nn.Conv1d(cfg.num_sensors, cfg.hidden, 5, padding=2), nn.ReLU(),
            nn.Conv1d(cfg.hidden, cfg.hidden, 5, padding=2), nn.ReLU(),
            nn.Conv1d(cfg.hidden, cfg.num_activities, 1),
        )
        self.crf = LinearChainCRF(cfg.num_activities)

    def emissions(self, signal: Tensor) -> Tensor:
        return self.encoder(signal.transpose(1, 2)).transpose(1, 2)


def train_one_epoch(model: ActivityTagger, loader: DataLoader, optimizer: torch.optim.Optimizer) -> float:
    model.train()
    total = 0.0
    for signal, tags in loader:
        optimizer.zero_grad()
        loss = model.crf(model.emissions(signal), tags)
        loss.backward()
        optimizer.step()
        total += loss.item() * len(signal)
    return total / len(loader.dataset)


@torch.no_grad()
def evaluate(model: ActivityTagger, loader: DataLoader) -> float:
    model.eval()
    correct = total = 0
    for signal, tags in loader:
        decoded = model.crf.decode(model.emissions(signal))
        correct += (decoded == tags).sum().item()
        total += tags.numel()
    return correct / total


def main() -> None:
    cfg = SegmentationConfig()
    torch.manual_seed(cfg.seed)
    rng = np.random.default_rng(cfg.seed)
    centres = rng.normal(size=(cfg.num_activities, cfg.num_sensors))
    splits = [simulate_streams(n, centres, cfg, rng) for n in (cfg.train_streams, cfg.val_streams, cfg.test_streams)]
    mean, std = splits[0][0].mean(axis=(0, 1)), splits[0][0].std(axis=(0, 1))
    train_set, val_set, test_set = (
        TensorDataset(torch.from_numpy((signal - mean) / std), torch.from_numpy(tags)) for signal, tags in splits
    )
    train_loader = DataLoader(train_set, batch_size=cfg.batch_size, shuffle=True)
    val_loader = DataLoader(val_set, batch_size=cfg.batch_size)
    test_loader = DataLoader(test_set, batch_size=cfg.batch_size)

    model = ActivityTagger(cfg)
    optimizer = torch.optim.Adam(model.parameters(), lr=cfg.lr)
    for epoch in range(1, cfg.epochs + 1):
        loss = train_one_epoch(model, train_loader, optimizer)
        print(f"epoch {epoch} | train nll per step {loss:.4f} | val accuracy {evaluate(model, val_loader):.4f}")
    print(f"test accuracy {evaluate(model, test_loader):.4f}")


if __name__ == "__main__":
    main()
