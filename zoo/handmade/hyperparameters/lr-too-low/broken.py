"""Heartbeat classifier: 1-D convolutions over single beats of a simulated ECG."""

import numpy as np
import torch
from torch import nn

CONFIG = {
    "train_beats": 1800,
    "test_beats": 600,
    "batch_size": 50,
    "epochs": 14,
    "optimizer": {"lr": 1e-4, "momentum": 0.9},
    "seed": 8,
}


def bump(t, centre, width, height):
    return height[:, None] * np.exp(-(((t - centre[:, None]) / width) ** 2))


def simulate(n, rng):
    """Normal beats, early beats without a P wave, and beats with a raised ST segment."""
    t = np.linspace(0, 1, 48)[None, :]
    kind = rng.permutation(n) % 3
    shift = rng.normal(0, 0.03, n)
    p_height = np.where(kind == 1, 0.0, 0.3) + rng.normal(0, 0.04, n)
    st_height = np.where(kind == 2, 0.35, 0.0) + rng.normal(0, 0.04, n)
    beat = bump(t, 0.22 + shift, 0.05, p_height)
    beat += bump(t, 0.42 + shift, 0.025, 1.0 + rng.normal(0, 0.1, n))
    beat += bump(t, 0.56 + shift, 0.06, st_height)
    beat += bump(t, 0.75 + shift, 0.07, 0.4 + rng.normal(0, 0.05, n))
    beat += rng.normal(0, 0.05, beat.shape)
    return beat.astype(np.float32), kind


def to_tensors(beats, kind, mean, std):
    return torch.from_numpy((beats - mean) / std).unsqueeze(1), torch.from_numpy(kind)


def make_classifier():
    return nn.Sequential(
        nn.Conv1d(1, 16, 5, padding=2),
        nn.ReLU(),
        nn.MaxPool1d(2),
        nn.Conv1d(16, 24, 5, padding=2),
        nn.ReLU(),
        nn.MaxPool1d(2),
        nn.Flatten(),
        nn.Linear(24 * 12, 32),
        nn.ReLU(),
        nn.Linear(32, 3),
    )


def run_epoch(clf, x, y, loss_fn, opt, batch_size):
    clf.train()
    total = 0.0
    for idx in torch.randperm(len(x)).split(batch_size):
        loss = loss_fn(clf(x[idx]), y[idx])
        opt.zero_grad()
        loss.backward()
        opt.step()
        total += loss.item() * len(idx)
    return total / len(x)


def main(cfg):
    torch.manual_seed(cfg["seed"])
    rng = np.random.default_rng(cfg["seed"])
    train_beats, train_kind = simulate(cfg["train_beats"], rng)
    test_beats, test_kind = simulate(cfg["test_beats"], rng)
    mean, std = train_beats.mean(), train_beats.std()
    x, y = to_tensors(train_beats, train_kind, mean, std)
    x_test, y_test = to_tensors(test_beats, test_kind, mean, std)

    clf = make_classifier()
    loss_fn = nn.CrossEntropyLoss()
    opt = torch.optim.SGD(clf.parameters(), **cfg["optimizer"])
    for epoch in range(cfg["epochs"]):
        train_loss = run_epoch(clf, x, y, loss_fn, opt, cfg["batch_size"])
        print(f"epoch {epoch:02d} train_loss={train_loss:.4f}")

    clf.eval()
    with torch.no_grad():
        predicted = clf(x_test).argmax(1)
    print(f"test_accuracy={(predicted == y_test).float().mean().item():.3f}")


if __name__ == "__main__":
    main(CONFIG)
