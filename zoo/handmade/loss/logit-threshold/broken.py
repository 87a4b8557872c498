"""Spam filter on bags of words, with a Trainer class and a dataclass of settings."""

from dataclasses import dataclass

import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset, random_split


@dataclass
class Config:
    n_words: int = 60
    n_mails: int = 3000
    hidden: int = 32
    batch_size: int = 64
    epochs: int = 8
    lr: float = 3e-3
    seed: int = 4


def make_mails(cfg: Config):
    """Word counts: spam and ham draw their words from different, overlapping vocabularies."""
    g = torch.Generator().manual_seed(cfg.seed)
    rates = 0.4 + 1.2 * torch.rand(2, cfg.n_words, generator=g)
    spam = torch.randint(0, 2, (cfg.n_mails,), generator=g)
    counts = torch.poisson(rates[spam], generator=g)
    return TensorDataset(torch.log1p(counts), spam.float())


class SpamFilter(nn.Module):
    def __init__(self, cfg: Config):
        super().__init__()
        self.net = nn.Sequential(
            nn.Linear(cfg.n_words, cfg.hidden), nn.ReLU(), nn.Dropout(0.2), nn.Linear(cfg.hidden, 1)
        )

    def forward(self, counts):
        return self.net(counts).squeeze(1)


class Trainer:
    def __init__(self, model, cfg):
        self.model = model
        self.cfg = cfg
        self.criterion = nn.BCEWithLogitsLoss()
        self.optimizer = torch.optim.Adam(model.parameters(), lr=cfg.lr, weight_decay=1e-4)

    def fit(self, loader):
        for epoch in range(self.cfg.epochs):
            self.model.train()
            total, seen = 0.0, 0
            for counts, spam in loader:
                self.optimizer.zero_grad()
                loss = self.criterion(self.model(counts), spam)
                loss.backward()
                self.optimizer.step()
                total += loss.item() * len(spam)
                seen += len(spam)
            print(f"[{epoch + 1}/{self.cfg.epochs}] loss {total / seen:.4f}")

    @torch.no_grad()
    def test(self, loader):
        self.model.eval()
        hits, seen = 0, 0
        for counts, spam in loader:
            predicted = torch.round(self.model(counts))
            hits += (predicted == spam).sum().item()
            seen += len(spam)
        return hits / seen


def main():
    cfg = Config()
    torch.manual_seed(cfg.seed)
    mails = make_mails(cfg)
    g = torch.Generator().manual_seed(cfg.seed)
    train_set, test_set = random_split(mails, [2400, 600], generator=g)
    trainer = Trainer(SpamFilter(cfg), cfg)
    trainer.fit(DataLoader(train_set, batch_size=cfg.batch_size, shuffle=True))
    print(f"test accuracy {trainer.test(DataLoader(test_set, batch_size=200)):.3f}")


if __name__ == "__main__":
    main()
