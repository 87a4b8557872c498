"""Activity recognition from three-axis accelerometer windows."""
import logging

import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

logging.basicConfig(level=logging.INFO, format="%(asctime)s %(name)s %(message)s", datefmt="%H:%M:%S")
logger = logging.getLogger("activity")

ACTIVITIES = ("walk", "run", "stairs", "cycle", "sit")
BASE_HZ = (1.8, 2.7, 1.4, 1.1, 0.3)
BASE_AMP = (1.0, 2.2, 1.1, 0.7, 0.1)
WINDOW = 96


def simulate(activity, n, rng):
    t = np.arange(WINDOW) / 24.0
    hz = BASE_HZ[activity] * rng.uniform(0.85, 1.15, size=(n, 1, 1))
    amp = BASE_AMP[activity] * rng.uniform(0.7, 1.3, size=(n, 3, 1))
    phase = rng.uniform(0, 2 * np.pi, size=(n, 3, 1))
    carrier = np.sin(2 * np.pi * hz * t + phase)
    if activity == 2:
        carrier += 0.6 * np.sin(4 * np.pi * hz * t + phase)
    tilt = rng.normal(scale=0.3, size=(n, 3, 1))
    return (amp * carrier + tilt + 0.5 * rng.normal(size=(n, 3, WINDOW))).astype(np.float32)


def build_split(per_class, seed):
    rng = np.random.default_rng(seed)
    return {a: torch.from_numpy(simulate(a, per_class, rng)) for a in range(len(ACTIVITIES))}


class ConvBlock(nn.Module):
    def __init__(self, c_in, c_out):
        super().__init__()
        self.conv = nn.Conv1d(c_in, c_out, 7, stride=2, padding=3, bias=False)
        self.bn = nn.BatchNorm1d(c_out)

    def forward(self, x):
        return torch.relu(self.bn(self.conv(x)))


class ActivityNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.blocks = nn.Sequential(ConvBlock(3, 16), ConvBlock(16, 32), ConvBlock(32, 32))
        self.dropout = nn.Dropout(0.3)
        self.head = nn.Linear(32, len(ACTIVITIES))

    def forward(self, x):
        pooled = self.blocks(x).mean(dim=2)
        return self.head(self.dropout(pooled))


class Trainer:
    def __init__(self, model, train_split, val_split, epochs=14, lr=0.05, batch_size=64):
        self.model = model
        x = torch.cat(list(train_split.values()))
        y = torch.cat([torch.full((len(v),), k) for k, v in train_split.items()])
        self.mean, self.std = x.mean((0, 2), keepdim=True), x.std((0, 2), keepdim=True)
        self.loader = DataLoader(TensorDataset(self.prepare(x), y), batch_size=batch_size, shuffle=True, drop_last=True)
        self.val_split = val_split
        self.epochs = epochs
        self.criterion = nn.CrossEntropyLoss()
        self.optimizer = torch.optim.SGD(model.parameters(), lr=lr, momentum=0.9, nesterov=True, weight_decay=1e-4)
        self.scheduler = torch.optim.lr_scheduler.OneCycleLR(
            self.optimizer, max_lr=lr, total_steps=epochs * len(self.loader))

    def prepare(self, x):
        return (x - self.mean) / self.std

    def train_epoch(self):
        self.model.train()
        total, count = 0.0, 0
        for xb, yb in self.loader:
            self.optimizer.zero_grad()
            loss = self.criterion(self.model(xb), yb)
            loss.backward()
            self.optimizer.step()
            self.scheduler.step()
            total += loss.item() * len(yb)
            count += len(yb)
        return total / count

    @torch.no_grad()
    def evaluate(self, split):
        """Recall of every activity on the windows of a split."""
        recall = {}
        for label, windows in split.items():
            predicted = self.model(self.prepare(windows)).argmax(dim=1)
            recall[ACTIVITIES[label]] = (predicted == label).float().mean().item()
        return recall

    def fit(self):
        for epoch in range(self.epochs):
            loss = self.train_epoch()
            recall = self.evaluate(self.val_split)
            logger.info("epoch %02d loss %.4f val balanced acc %.3f", epoch, loss, np.mean(list(recall.values())))


def run():
    torch.manual_seed(7)
    train, val, test = build_split(300, 1), build_split(80, 2), build_split(120, 3)
    trainer = Trainer(ActivityNet(), train, val)
    trainer.fit()
    recall = trainer.evaluate(test)
    for name, r in recall.items():
        logger.info("  %-7s recall %.3f", name, r)
    logger.info("test balanced accuracy %.3f", np.mean(list(recall.values())))


if __name__ == "__main__":
    run()
