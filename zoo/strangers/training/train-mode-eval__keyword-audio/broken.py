import math
from collections import defaultdict

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset, random_split

RATE = 8000
SAMPLES = 512
WORDS = ["rise", "fall", "warble", "buzz", "twin", "click"]


def synth(kind: int, g: torch.Generator) -> torch.Tensor:
    """One short recording of an artificial keyword, with background noise."""
    t = torch.arange(SAMPLES) / RATE
    u = torch.rand(4, generator=g)
    f = 300 + 900 * u[0]
    phase = 2 * math.pi * u[1]
    if kind == 0:
        s = torch.sin(2 * math.pi * (f + 9000 * t) * t + phase)
    elif kind == 1:
        s = torch.sin(2 * math.pi * (f + 1200 - 9000 * t) * t + phase)
    elif kind == 2:
        s = torch.sin(2 * math.pi * f * t + 6 * torch.sin(2 * math.pi * 60 * t) + phase)
    elif kind == 3:
        s = torch.sign(torch.sin(2 * math.pi * f * 0.5 * t + phase))
    elif kind == 4:
        s = 0.6 * torch.sin(2 * math.pi * f * t + phase) + 0.6 * torch.sin(2 * math.pi * 1.5 * f * t)
    else:
        s = torch.exp(-((t - t[-1] * (0.2 + 0.6 * u[2])) * 220) ** 2) * torch.sin(2 * math.pi * f * t + phase) * 1.6
    return s * (0.6 + 0.6 * u[3]) + 0.7 * torch.randn(SAMPLES, generator=g)


def recordings(n: int, seed: int) -> TensorDataset:
    g = torch.Generator().manual_seed(seed)
    y = torch.randint(0, len(WORDS), (n,), generator=g)
    x = torch.stack([synth(int(k), g) for k in y]).unsqueeze(1)
    return TensorDataset(x, y)


class KeywordNet(nn.Module):
    def __init__(self, n_words: int, width: int = 16):
        super().__init__()
        self.features = nn.Sequential(
            nn.Conv1d(1, width, 16, stride=4), nn.BatchNorm1d(width), nn.ReLU(),
            nn.Conv1d(width, 2 * width, 8, stride=2), nn.BatchNorm1d(2 * width), nn.ReLU(), nn.MaxPool1d(2),
            nn.Conv1d(2 * width, 2 * width, 5), nn.BatchNorm1d(2 * width), nn.ReLU(),
        )
        self.classifier = nn.Sequential(
            nn.Linear(4 * width, 64), nn.ReLU(), nn.Dropout(0.5),
            nn.Linear(64, n_words),
        )

    def forward(self, x):
        h = self.features(x)
        return self.classifier(torch.cat([h.mean(-1), h.amax(-1)], dim=1))


class Trainer:
    def __init__(self, model, train_loader, val_loader, epochs):
        self.model = model
        self.train_loader = train_loader
        self.val_loader = val_loader
        self.epochs = epochs
        self.criterion = nn.CrossEntropyLoss()
        self.optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)
        self.scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(self.optimizer, T_max=epochs)
        self.history = defaultdict(list)

    def train_epoch(self):
        self.model.train()
        total, count = 0.0, 0
        for x, y in self.train_loader:
            self.optimizer.zero_grad()
            loss = self.criterion(self.model(x), y)
            loss.backward()
            self.optimizer.step()
            total += loss.item() * y.numel()
            count += y.numel()
        return total / count

    @torch.no_grad()
    def evaluate(self, loader):
        total, correct, count = 0.0, 0, 0
        for x, y in loader:
            logits = self.model(x)
            total += self.criterion(logits, y).item() * y.numel()
            correct += (logits.argmax(1) == y).sum().item()
            count += y.numel()
        return total / count, correct / count

    def fit(self):
        for epoch in range(1, self.epochs + 1):
            train_loss = self.train_epoch()
            self.scheduler.step()
            val_loss, val_acc = self.evaluate(self.val_loader)
            self.history["train"].append(train_loss)
            self.history["val"].append(val_loss)
            print(f"[{epoch:02d}/{self.epochs}] train {train_loss:.4f} | val {val_loss:.4f} | val acc {val_acc:.3f}")


def main():
    torch.manual_seed(1)
    train_set, val_set = random_split(recordings(2000, seed=10), [1600, 400])
    test_set = recordings(600, seed=11)
    trainer = Trainer(
        KeywordNet(len(WORDS)),
        DataLoader(train_set, batch_size=50, shuffle=True),
        DataLoader(val_set, batch_size=16),
        epochs=9,
    )
    trainer.fit()
    loss, acc = trainer.evaluate(DataLoader(test_set, batch_size=16))
    print(f"test loss {loss:.4f}, test accuracy {acc:.3f}")


if __name__ == "__main__":
    main()
