"""Beat classifier for single-lead ECG windows, with a small activation monitor."""
from dataclasses import dataclass

import numpy as np
import psutil
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset


@dataclass
class Settings:
    n_train: int = 3200
    n_val: int = 640
    n_test: int = 960
    length: int = 160
    batch: int = 64
    epochs: int = 6
    lr: float = 2e-3
    seed: int = 29


class Beats(Dataset):
    """normal, premature ventricular, st-elevated"""

    def __init__(self, n, length, seed):
        rng = np.random.default_rng(seed)
        t = np.linspace(-0.5, 0.5, length)
        self.label = rng.integers(0, 3, n)
        rows = []
        for k in self.label:
            c = rng.normal(0, 0.03)
            bump = lambda mu, w, a: a * np.exp(-((t - c - mu) / w) ** 2)
            width = 0.07 if k == 1 else 0.025
            beat = bump(0, width, rng.normal(1.2, 0.15)) + bump(0.22, 0.06, rng.normal(0.3, 0.06))
            if k != 1:
                beat += bump(-0.18, 0.03, 0.15)
            if k == 2:
                beat += bump(0.1, 0.07, rng.normal(0.25, 0.05))
            drift = 0.2 * np.sin(2 * np.pi * (t * rng.uniform(0.3, 1) + rng.random()))
            rows.append(beat + drift + rng.normal(0, 0.12, length))
        self.x = np.asarray(rows, dtype=np.float32)

    def scale(self, mean, std):
        self.x = (self.x - mean) / std

    def __len__(self):
        return len(self.label)

    def __getitem__(self, i):
        return torch.from_numpy(self.x[i:i + 1]), int(self.label[i])


class ActivationMonitor:
    """follows the feature maps of one layer, to spot units that go silent"""

    def __init__(self, layer, window=10):
        self.window = window
        self.maps = []
        layer.register_forward_hook(self._keep)

    def _keep(self, module, inputs, output):
        if module.training:
            self.maps.append(output.detach().clone())

    def silent_share(self):
        recent = torch.cat(list(self.maps)[-self.window:])
        return (recent.amax(dim=(0, 2)) <= 0).float().mean().item()


def make_model():
    return nn.Sequential(
        nn.Conv1d(1, 32, 7, padding=3), nn.ReLU(),
        nn.Conv1d(32, 32, 7, stride=2, padding=3), nn.ReLU(),
        nn.Conv1d(32, 32, 5, stride=2, padding=2), nn.ReLU(),
        nn.AdaptiveAvgPool1d(8), nn.Flatten(),
        nn.Linear(256, 3),
    )


def evaluate(model, loader):
    model.eval()
    loss, hits, n = 0.0, 0, 0
    with torch.no_grad():
        for x, y in loader:
            out = model(x)
            loss += nn.functional.cross_entropy(out, y, reduction="sum").item()
            hits += (out.argmax(1) == y).sum().item()
            n += len(y)
    return loss / n, hits / n


def main():
    s = Settings()
    torch.manual_seed(s.seed)
    torch.set_num_threads(1)
    sets = [Beats(n, s.length, s.seed + i) for i, n in enumerate((s.n_train, s.n_val, s.n_test))]
    mean, std = sets[0].x.mean(), sets[0].x.std()
    for part in sets:
        part.scale(mean, std)
    train = DataLoader(sets[0], s.batch, shuffle=True)
    val, test = (DataLoader(p, s.batch) for p in sets[1:])

    model = make_model()
    monitor = ActivationMonitor(model[1])
    optimizer = torch.optim.Adam(model.parameters(), lr=s.lr)
    scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, s.epochs)
    process = psutil.Process()

    for epoch in range(1, s.epochs + 1):
        model.train()
        total = 0.0
        for x, y in train:
            optimizer.zero_grad()
            loss = nn.functional.cross_entropy(model(x), y)
            loss.backward()
            optimizer.step()
            total += loss.item() * len(y)
        scheduler.step()
        v_loss, v_acc = evaluate(model, val)
        rss = process.memory_info().rss / 2 ** 20
        print(f"epoch {epoch}  train {total / len(sets[0]):.4f}  val {v_loss:.4f}  acc {v_acc:.3f}  "
              f"silent {monitor.silent_share():.2f}  rss {rss:.0f} MB")

    loss, acc = evaluate(model, test)
    print(f"test loss {loss:.4f}  acc {acc:.3f}")


if __name__ == "__main__":
    main()
