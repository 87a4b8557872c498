"""Variable-length event sequences, length-bucketed batches, attention pooling, bfloat16 autocast and gradient accumulation."""
import random

import torch
from torch import nn
from torch.nn.utils.rnn import pad_sequence
from torch.utils.data import DataLoader, Sampler

VOCAB, PAD, ACCUM = 40, 0, 4


def make(n, rng):
    """Class = which of three marker tokens occurs most often."""
    out = []
    while len(out) < n:
        length = rng.randint(6, 40)
        seq = [rng.randrange(4, VOCAB) for _ in range(length)]
        for _ in range(rng.randint(2, max(3, length // 3))):
            seq[rng.randrange(length)] = rng.randint(1, 3)
        counts = [seq.count(k) for k in (1, 2, 3)]
        if counts.count(max(counts)) == 1:
            out.append((torch.tensor(seq), counts.index(max(counts))))
    return out


class BucketSampler(Sampler):
    """Batches of similar length; the order of the batches is shuffled, and ties are broken at random."""

    def __init__(self, data, size, rng):
        self.data, self.size, self.rng = data, size, rng

    def __len__(self):
        return -(-len(self.data) // self.size)

    def __iter__(self):
        order = sorted(range(len(self.data)), key=lambda i: (len(self.data[i][0]) + self.rng.uniform(-4, 4)))
        batches = [order[i:i + self.size] for i in range(0, len(order), self.size)]
        self.rng.shuffle(batches)
        return iter(batches)


def collate(rows):
    seqs, labels = zip(*rows)
    return pad_sequence(seqs, batch_first=True, padding_value=PAD), torch.tensor(labels)


class AttentionPool(nn.Module):
    def __init__(self, d=32):
        super().__init__()
        self.emb = nn.Embedding(VOCAB, d, padding_idx=PAD)
        self.key = nn.Linear(d, d)
        self.query = nn.Parameter(torch.zeros(d))
        self.out = nn.Sequential(nn.Linear(d, 64), nn.ReLU(), nn.Linear(64, 3))

    def forward(self, x):
        h = self.emb(x)
        score = torch.tanh(self.key(h)).matmul(self.query).float()
        w = score.masked_fill(x == PAD, float("-inf")).softmax(dim=1)
        return self.out((w.unsqueeze(-1) * h).sum(1))


def evaluate(model, loader):
    model.eval()
    hit = n = 0
    with torch.no_grad():
        for x, y in loader:
            hit += (model(x).argmax(1) == y).sum().item()
            n += len(y)
    model.train()
    return hit / n


def main():
    torch.manual_seed(6)
    rng = random.Random(6)
    train, test = make(3000, rng), make(800, rng)
    loader = DataLoader(train, batch_sampler=BucketSampler(train, 16, rng), collate_fn=collate)
    test_loader = DataLoader(test, batch_size=200, collate_fn=collate)
    model = AttentionPool()
    opt = torch.optim.AdamW(model.parameters(), lr=6e-3, weight_decay=1e-3)
    epochs, updates = 8, -(-len(loader) // ACCUM)
    sched = torch.optim.lr_scheduler.OneCycleLR(opt, 6e-3, total_steps=epochs * updates)
    model.train()
    for epoch in range(1, epochs + 1):
        total = 0.0
        pending = []
        for i, batch in enumerate(loader):
            pending.append(batch)
            if len(pending) < ACCUM and i + 1 < len(loader):
                continue
            n = sum(len(y) for _, y in pending)
            for x, y in pending:
                with torch.autocast("cpu", dtype=torch.bfloat16):
                    logits = model(x)
                loss = nn.functional.cross_entropy(logits.float(), y, reduction="sum") / n
                loss.backward()
                total += loss.item() * n
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            opt.step()
            sched.step()
            opt.zero_grad(set_to_none=True)
            pending.clear()
        print(f"epoch {epoch:2d}  loss {total / len(train):.4f}  test acc {evaluate(model, test_loader):.3f}")


if __name__ == "__main__":
    main()
