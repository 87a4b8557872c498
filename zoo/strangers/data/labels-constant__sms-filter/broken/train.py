import random

import torch
from torch import nn
from torch.utils.data import DataLoader

from classifier import BagClassifier, collate
from corpus import Vocabulary, export, read_messages

EPOCHS = 10


def report(model, loader):
    model.eval()
    hits = alarms = positives = right = n = 0
    with torch.no_grad():
        for tokens, offsets, y in loader:
            flagged = torch.sigmoid(model(tokens, offsets)) > 0.5
            truth = y > 0.5
            hits += (flagged & truth).sum().item()
            alarms += flagged.sum().item()
            positives += truth.sum().item()
            right += (flagged == truth).sum().item()
            n += len(y)
    return right / n, hits, positives, alarms


def main():
    random.seed(3)
    torch.manual_seed(3)
    texts, targets = read_messages(export(5000, seed=3))
    cut1, cut2 = 3500, 4000
    vocab = Vocabulary(texts[:cut1])
    rows = [(vocab(t), y) for t, y in zip(texts, targets)]

    train = DataLoader(rows[:cut1], batch_size=50, shuffle=True, collate_fn=collate)
    dev = DataLoader(rows[cut1:cut2], batch_size=250, collate_fn=collate)
    test = DataLoader(rows[cut2:], batch_size=250, collate_fn=collate)

    model = BagClassifier(len(vocab))
    loss_fn = nn.BCEWithLogitsLoss()
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, EPOCHS)

    for epoch in range(EPOCHS):
        model.train()
        total = 0.0
        for tokens, offsets, y in train:
            optimizer.zero_grad()
            loss = loss_fn(model(tokens, offsets), y)
            loss.backward()
            optimizer.step()
            total += loss.item() * len(y)
        schedule.step()
        acc, *_ = report(model, dev)
        print(f"epoch {epoch + 1:2d}: loss {total / cut1:.4f}, dev accuracy {acc:.3f}")

    acc, hits, positives, alarms = report(model, test)
    print(f"test accuracy {acc:.3f}; caught {hits} of {positives} spam messages with {alarms} alarms")


if __name__ == "__main__":
    main()
