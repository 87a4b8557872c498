"""Route support tickets to one of eight queues (bag of embeddings, callback style)."""
import argparse
import random

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, Dataset

N_QUEUES = 8
VOCAB = 1500
PAD = 0


def make_tickets(n, rng):
    topics = rng.dirichlet(np.full(VOCAB - 1, 0.15), size=N_QUEUES)
    common = rng.dirichlet(np.full(VOCAB - 1, 0.5))
    texts, labels = [], []
    for _ in range(n):
        q = int(rng.integers(N_QUEUES))
        length = int(rng.integers(8, 28))
        p = 0.55 * topics[q] + 0.45 * common
        texts.append(rng.choice(VOCAB - 1, size=length, p=p) + 1)
        labels.append(q)
    return texts, np.array(labels)


class Tickets(Dataset):
    def __init__(self, texts, labels):
        self.texts, self.labels = texts, labels

    def __len__(self):
        return len(self.texts)

    def __getitem__(self, i):
        return torch.as_tensor(self.texts[i]), int(self.labels[i])


def collate(items):
    toks, ys = zip(*items)
    return nn.utils.rnn.pad_sequence(toks, batch_first=True, padding_value=PAD), torch.tensor(ys)


class Router(nn.Module):
    def __init__(self, dim=48):
        super().__init__()
        self.emb = nn.EmbeddingBag(VOCAB, dim, mode="mean", padding_idx=PAD)
        self.head = nn.Sequential(nn.Linear(dim, 64), nn.ReLU(), nn.Dropout(0.1), nn.Linear(64, N_QUEUES))

    def forward(self, tokens):
        return self.head(self.emb(tokens))


class Callback:
    def on_fit_begin(self, fit): pass
    def on_epoch_begin(self, fit): pass
    def on_batch_end(self, fit): pass
    def on_epoch_end(self, fit): pass


class LearningRate(Callback):
    """Drives an epoch-wise schedule."""

    def __init__(self, scheduler):
        self.scheduler = scheduler

    def on_epoch_begin(self, fit):
        self.scheduler.step()


class History(Callback):
    def on_fit_begin(self, fit):
        self.rows = []

    def on_epoch_begin(self, fit):
        self.total, self.seen = 0.0, 0

    def on_batch_end(self, fit):
        self.total += fit.loss.item() * fit.batch_size
        self.seen += fit.batch_size

    def on_epoch_end(self, fit):
        self.rows.append(self.total / self.seen)
        print(f"epoch {fit.epoch + 1}: train loss {self.rows[-1]:.4f}")


class Fit:
    def __init__(self, model, optimizer, callbacks):
        self.model, self.optimizer, self.callbacks = model, optimizer, callbacks

    def emit(self, event):
        for cb in self.callbacks:
            getattr(cb, event)(self)

    def run(self, loader, epochs):
        self.emit("on_fit_begin")
        for self.epoch in range(epochs):
            self.model.train()
            self.emit("on_epoch_begin")
            for tokens, y in loader:
                self.batch_size = len(y)
                self.optimizer.zero_grad(set_to_none=True)
                self.loss = F.cross_entropy(self.model(tokens), y)
                self.loss.backward()
                self.optimizer.step()
                self.emit("on_batch_end")
            self.emit("on_epoch_end")

    @torch.no_grad()
    def score(self, loader):
        self.model.eval()
        hits = total = 0
        for tokens, y in loader:
            hits += (self.model(tokens).argmax(1) == y).sum().item()
            total += len(y)
        return hits / total


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--n", type=int, default=14000)
    ap.add_argument("--epochs", type=int, default=5)
    ap.add_argument("--batch-size", type=int, default=32)
    ap.add_argument("--lr", type=float, default=0.4)
    ap.add_argument("--decay", type=float, default=0.15)
    ap.add_argument("--seed", type=int, default=0)
    args = ap.parse_args()

    random.seed(args.seed)
    np.random.seed(args.seed)
    torch.manual_seed(args.seed)

    texts, labels = make_tickets(args.n, np.random.default_rng(args.seed))
    cut = int(0.85 * args.n)
    train = DataLoader(Tickets(texts[:cut], labels[:cut]), args.batch_size, shuffle=True, collate_fn=collate)
    test = DataLoader(Tickets(texts[cut:], labels[cut:]), 512, collate_fn=collate)

    model = Router()
    optimizer = torch.optim.SGD(model.parameters(), lr=args.lr, momentum=0.9)
    scheduler = torch.optim.lr_scheduler.ExponentialLR(optimizer, gamma=args.decay)
    fit = Fit(model, optimizer, [LearningRate(scheduler), History()])
    fit.run(train, args.epochs)
    print(f"test accuracy {fit.score(test):.4f}")


if __name__ == "__main__":
    main()
