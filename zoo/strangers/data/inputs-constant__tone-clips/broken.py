"""Recognise which of five synthetic instruments plays a clip."""
import logging
import sys

import numpy as np
import torch
from torch import nn, optim
from torch.utils.data import DataLoader, TensorDataset

logging.basicConfig(stream=sys.stdout, level=logging.INFO, format="%(levelname)s %(message)s")
log = logging.getLogger("tones")

RATE = 2000
LENGTH = 256
# relative strength of the first four harmonics
TIMBRES = {
    "flute": (1.0, 0.15, 0.05, 0.0),
    "clarinet": (1.0, 0.0, 0.75, 0.0),
    "oboe": (0.5, 1.0, 0.8, 0.3),
    "horn": (1.0, 0.8, 0.3, 0.1),
    "reed": (0.2, 0.3, 0.2, 1.0),
}


class ClipSynth:
    """Renders clips of random pitch and phase; one scratch buffer serves all of them."""

    def __init__(self, seed):
        self.rng = np.random.default_rng(seed)
        self.t = np.arange(LENGTH) / RATE
        self.scratch = np.zeros(LENGTH, dtype=np.float32)

    def render(self, timbre):
        f0 = self.rng.uniform(60, 90)
        self.scratch[:] = 0.0
        for h, a in enumerate(timbre, start=1):
            phase = self.rng.uniform(0, 2 * np.pi)
            self.scratch += a * np.sin(2 * np.pi * h * f0 * self.t + phase)
        self.scratch /= np.sqrt(np.mean(self.scratch ** 2))
        self.scratch += self.rng.normal(0, 0.9, LENGTH)
        return self.scratch

    def make(self, n):
        clips, labels = [], []
        profiles = list(TIMBRES.values())
        for _ in range(n):
            k = int(self.rng.integers(len(profiles)))
            clips.append(self.render(profiles[k]))
            labels.append(k)
        x = torch.from_numpy(np.stack(clips)).unsqueeze(1)
        return TensorDataset(x, torch.tensor(labels))


class ToneNet(nn.Module):
    def __init__(self, n_classes):
        super().__init__()
        self.body = nn.Sequential(
            nn.Conv1d(1, 24, 31, stride=2, padding=15), nn.ReLU(),
            nn.Conv1d(24, 32, 9, stride=2, padding=4), nn.ReLU(),
            nn.AdaptiveAvgPool1d(1), nn.Flatten(),
        )
        self.head = nn.Linear(32, n_classes)

    def forward(self, x):
        return self.head(self.body(x))


@torch.no_grad()
def evaluate(model, loader):
    model.eval()
    loss, right, n = 0.0, 0, 0
    for x, y in loader:
        out = model(x)
        loss += nn.functional.cross_entropy(out, y, reduction="sum").item()
        right += (out.argmax(1) == y).sum().item()
        n += len(y)
    return loss / n, right / n


def main():
    torch.manual_seed(11)
    np.random.seed(11)
    train, valid, test = (ClipSynth(s).make(n) for s, n in ((101, 2000), (102, 400), (103, 600)))
    train_loader = DataLoader(train, batch_size=64, shuffle=True)
    valid_loader = DataLoader(valid, batch_size=200)
    test_loader = DataLoader(test, batch_size=200)

    model = ToneNet(len(TIMBRES))
    criterion = nn.CrossEntropyLoss()
    epochs = 14
    optimizer = optim.Adam(model.parameters(), lr=3e-3)
    scheduler = optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=epochs)

    for epoch in range(1, epochs + 1):
        model.train()
        total = 0.0
        for x, y in train_loader:
            optimizer.zero_grad()
            loss = criterion(model(x), y)
            loss.backward()
            optimizer.step()
            total += loss.item() * len(y)
        scheduler.step()
        v_loss, v_acc = evaluate(model, valid_loader)
        log.info("epoch %2d  train %.4f  valid %.4f  acc %.3f", epoch, total / len(train), v_loss, v_acc)

    t_loss, t_acc = evaluate(model, test_loader)
    log.info("test loss %.4f  test accuracy %.3f", t_loss, t_acc)


if __name__ == "__main__":
    main()
