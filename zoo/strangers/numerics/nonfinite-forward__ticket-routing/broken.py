"""Route support tickets to one of four desks from their token ids (attention pooling)."""
import random

import torch
import torch.nn as nn
from torch.utils.data import DataLoader, Dataset

DESKS = ["billing", "network", "hardware", "account"]
PAD = 0
WORDS_PER_DESK, COMMON = 25, 80
VOCAB = 1 + COMMON + WORDS_PER_DESK * len(DESKS)


class Tickets(Dataset):
    """Each ticket: optional short subject line and a body; some tickets carry no subject."""

    def __init__(self, n, seed):
        rnd = random.Random(seed)
        self.rows = [self._make(rnd) for _ in range(n)]

    @staticmethod
    def _words(rnd, desk, n, p_topic):
        out = []
        for _ in range(n):
            if rnd.random() < p_topic:
                out.append(1 + COMMON + desk * WORDS_PER_DESK + rnd.randrange(WORDS_PER_DESK))
            else:
                out.append(1 + rnd.randrange(COMMON + WORDS_PER_DESK * len(DESKS)))
        return out

    def _make(self, rnd):
        desk = rnd.randrange(len(DESKS))
        subject = [] if rnd.random() < 0.05 else self._words(rnd, desk, rnd.randint(2, 6), 0.45)
        body = self._words(rnd, desk, rnd.randint(8, 30), 0.2)
        return subject, body, desk

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, i):
        return self.rows[i]


def pad(seqs):
    width = max(1, max(len(s) for s in seqs))
    return torch.tensor([s + [PAD] * (width - len(s)) for s in seqs])


def collate(rows):
    subject, body, desk = zip(*rows)
    return pad(subject), pad(body), torch.tensor(desk)


class AttentionPool(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.query = nn.Linear(dim, 1)

    def forward(self, h, mask):
        scores = self.query(torch.tanh(h)).squeeze(-1)
        scores = scores.masked_fill(~mask, float("-inf"))
        weights = torch.softmax(scores, dim=1)
        return (weights.unsqueeze(-1) * h).sum(dim=1)


class Router(nn.Module):
    def __init__(self, dim=32):
        super().__init__()
        self.emb = nn.Embedding(VOCAB, dim, padding_idx=PAD)
        self.pool_subject = AttentionPool(dim)
        self.pool_body = AttentionPool(dim)
        self.cls = nn.Sequential(nn.Dropout(0.3), nn.Linear(2 * dim, len(DESKS)))

    def forward(self, subject, body):
        s = self.pool_subject(self.emb(subject), subject != PAD)
        b = self.pool_body(self.emb(body), body != PAD)
        return self.cls(torch.cat([s, b], dim=1))


def evaluate(model, loader, criterion):
    model.eval()
    loss, hits, n = 0.0, 0, 0
    with torch.no_grad():
        for s, b, y in loader:
            logits = model(s, b)
            loss += criterion(logits, y).item() * len(y)
            hits += (logits.argmax(1) == y).sum().item()
            n += len(y)
    return loss / n, hits / n


def main():
    torch.manual_seed(0)
    train = DataLoader(Tickets(6000, 1), batch_size=64, shuffle=True, collate_fn=collate)
    valid = DataLoader(Tickets(1000, 2), batch_size=256, collate_fn=collate)
    test = DataLoader(Tickets(2000, 3), batch_size=256, collate_fn=collate)

    epochs = 10
    model = Router()
    criterion = nn.CrossEntropyLoss()
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3, weight_decay=0.01)
    scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=epochs)

    for epoch in range(1, epochs + 1):
        model.train()
        total, n = 0.0, 0
        for s, b, y in train:
            optimizer.zero_grad()
            loss = criterion(model(s, b), y)
            loss.backward()
            optimizer.step()
            total += loss.item() * len(y)
            n += len(y)
        scheduler.step()
        vl, va = evaluate(model, valid, criterion)
        print(f"[{epoch:02d}/{epochs}] loss={total / n:.4f} val_loss={vl:.4f} val_acc={va:.3f}")

    _, acc = evaluate(model, test, criterion)
    print(f"test accuracy {acc:.3f}")


if __name__ == "__main__":
    main()
