"""Churn from clickstreams: an event that comes after another one matters more than the events themselves.

Each session is a stream of page events with plenty of repeats (reloads, back buttons). The analyst's rule of thumb:
customers who look at `cancel` before they reach `support` leave; the other way round they stay.
"""
import argparse
import random

import numpy as np
import torch
import torch.nn as nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_sequence
from torch.utils.data import DataLoader, Dataset

EVENTS = ["home", "search", "product", "basket", "invoice", "profile", "cancel", "support", "faq", "pricing"]
VOCAB = {name: i + 1 for i, name in enumerate(EVENTS)}  # 0 is padding


def parse_args():
    p = argparse.ArgumentParser()
    p.add_argument("--sessions", type=int, default=3000)
    p.add_argument("--epochs", type=int, default=10)
    p.add_argument("--batch-size", type=int, default=64)
    p.add_argument("--lr", type=float, default=5e-3)
    p.add_argument("--seed", type=int, default=99)
    return p.parse_args()


def simulate_sessions(n, rng):
    sessions, churned = [], []
    filler = [e for e in EVENTS if e not in ("cancel", "support")]
    for _ in range(n):
        picked = list(rng.choice(filler, size=rng.integers(3, 8), replace=False)) + ["cancel", "support"]
        rng.shuffle(picked)
        label = int(picked.index("cancel") < picked.index("support"))
        stream = []
        for position, event in enumerate(picked):
            stream.append(event)
            while rng.random() < 0.4:  # reloads and returns to pages seen earlier
                stream.append(picked[rng.integers(0, position + 1)])
        if rng.random() < 0.02:
            label = 1 - label
        sessions.append(" ".join(stream))
        churned.append(label)
    return sessions, churned


def encode_session(session):
    """Event ids of a session, each event counted at its first visit."""
    ids = np.array([VOCAB[event] for event in session.split()])
    first_visits = np.unique(ids)
    return torch.from_numpy(first_visits)


class Clickstreams(Dataset):
    def __init__(self, sessions, churned):
        self.items = [(encode_session(s), float(c)) for s, c in zip(sessions, churned)]

    def __len__(self):
        return len(self.items)

    def __getitem__(self, i):
        return self.items[i]


def collate(batch):
    sequences, labels = zip(*batch)
    lengths = torch.tensor([len(s) for s in sequences])
    return pad_sequence(sequences, batch_first=True), lengths, torch.tensor(labels)


class ChurnModel(nn.Module):
    def __init__(self, vocab_size, emb=16, hidden=32):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, emb, padding_idx=0)
        self.lstm = nn.LSTM(emb, hidden, batch_first=True)
        self.classifier = nn.Linear(hidden, 1)

    def forward(self, ids, lengths):
        packed = pack_padded_sequence(self.embedding(ids), lengths, batch_first=True, enforce_sorted=False)
        _, (h, _) = self.lstm(packed)
        return self.classifier(h[-1]).squeeze(1)


def train_epoch(model, loader, optimizer, criterion):
    model.train()
    total = 0.0
    for ids, lengths, labels in loader:
        optimizer.zero_grad()
        loss = criterion(model(ids, lengths), labels)
        loss.backward()
        optimizer.step()
        total += loss.item() * len(labels)
    return total / len(loader.dataset)


@torch.no_grad()
def accuracy(model, loader):
    model.eval()
    correct = 0
    for ids, lengths, labels in loader:
        correct += ((model(ids, lengths) > 0).float() == labels).sum().item()
    return correct / len(loader.dataset)


def main():
    args = parse_args()
    random.seed(args.seed)
    np.random.seed(args.seed)
    torch.manual_seed(args.seed)
    sessions, churned = simulate_sessions(args.sessions, np.random.default_rng(args.seed))
    cut = int(0.8 * len(sessions))
    train_loader = DataLoader(Clickstreams(sessions[:cut], churned[:cut]), args.batch_size, shuffle=True, collate_fn=collate)
    test_loader = DataLoader(Clickstreams(sessions[cut:], churned[cut:]), 256, collate_fn=collate)

    model = ChurnModel(len(VOCAB) + 1)
    optimizer = torch.optim.Adam(model.parameters(), lr=args.lr)
    criterion = nn.BCEWithLogitsLoss()
    for epoch in range(1, args.epochs + 1):
        loss = train_epoch(model, train_loader, optimizer, criterion)
        print(f"epoch {epoch:2d}  train loss {loss:.4f}  train acc {accuracy(model, train_loader):.3f}")
    print(f"test accuracy {accuracy(model, test_loader):.3f}")


if __name__ == "__main__":
    main()
