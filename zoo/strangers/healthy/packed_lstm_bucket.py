"""Variable-length event logs -> fault or no fault, with a packed LSTM, length buckets and oversampling of the rare class.

Batches hold sequences of similar length (a custom batch sampler, shuffled between and within buckets), and the sampler
draws faults as often as normal logs in training; evaluation runs over the natural mixture with the prior put back.
"""
import math
import random

import torch
import torch.nn.functional as F
from torch import nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_sequence
from torch.utils.data import DataLoader, Dataset, Sampler

N_EVENTS, PAD = 8, 0


def make_log(rng, fault):
    """Events 1..8. A fault is an 'open' (1) that is followed by a 'crash' (2) before any 'close' (3)."""
    while True:
        seq = [rng.choice([1, 2, 3, 3, 4, 5, 6, 7, 8]) for _ in range(rng.randint(6, 22))]
        opened = hit = False
        for e in seq:
            opened = True if e == 1 else False if e == 3 else opened
            hit = hit or (opened and e == 2)
        if hit == fault:
            return seq


class Logs(Dataset):
    def __init__(self, n, fault_rate, seed):
        rng = random.Random(seed)
        self.rows = []
        for _ in range(n):
            fault = rng.random() < fault_rate
            seq = make_log(rng, fault)
            amounts = [rng.gauss(0, 1) for _ in seq]  # a real-valued field with no bearing on the label
            self.rows.append((torch.tensor(seq), torch.tensor(amounts), float(fault)))

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, i):
        return self.rows[i]


class BalancedBuckets(Sampler):
    def __init__(self, data, batch, seed):
        self.batch, self.rng = batch, random.Random(seed)
        self.lengths = [len(r[0]) for r in data.rows]
        self.by_class = [[i for i, r in enumerate(data.rows) if r[2] == c] for c in (0.0, 1.0)]
        self.size = len(data)

    def __len__(self):
        return math.ceil(self.size / self.batch)

    def __iter__(self):
        half = self.size // 2
        picked = [i for group in self.by_class for i in self.rng.choices(group, k=half)]
        self.rng.shuffle(picked)
        picked.sort(key=lambda i: self.lengths[i] + self.rng.uniform(-2, 2))
        batches = [picked[k:k + self.batch] for k in range(0, len(picked), self.batch)]
        self.rng.shuffle(batches)
        return iter(batches)


def collate(rows):
    rows = sorted(rows, key=lambda r: -len(r[0]))
    seqs, amounts, labels = zip(*rows)
    return (pad_sequence(seqs, batch_first=True, padding_value=PAD), pad_sequence(amounts, batch_first=True),
            torch.tensor([len(s) for s in seqs]), torch.tensor(labels))


class LogModel(nn.Module):
    def __init__(self, dim=12, hidden=32):
        super().__init__()
        self.embed = nn.Embedding(N_EVENTS + 1, dim, padding_idx=PAD)
        self.lstm = nn.LSTM(dim + 1, hidden, batch_first=True)
        self.head = nn.Linear(hidden, 1)

    def forward(self, seq, amount, lengths):
        packed = pack_padded_sequence(torch.cat([self.embed(seq), amount[..., None]], -1), lengths, batch_first=True)
        _, (h, _) = self.lstm(packed)
        return self.head(h[-1]).squeeze(-1)


@torch.no_grad()
def evaluate(model, loader, offset):
    model.eval()
    z, y = zip(*[(model(s, a, n), t) for s, a, n, t in loader])
    z, y = torch.cat(z) + offset, torch.cat(y)
    hit = (z > 0).float()
    recall, specificity = hit[y == 1].mean().item(), 1 - hit[y == 0].mean().item()
    return F.binary_cross_entropy_with_logits(z, y).item(), recall, specificity


def main():
    torch.manual_seed(77)
    rate = 0.12
    train, val, test = Logs(4000, rate, 1), Logs(1000, rate, 2), Logs(1500, rate, 3)
    offset = math.log(rate / (1 - rate))  # undo the 1:1 prior of the training batches
    loader = DataLoader(train, batch_sampler=BalancedBuckets(train, 64, 5), collate_fn=collate)
    val_loader, test_loader = (DataLoader(d, 250, collate_fn=collate) for d in (val, test))
    model = LogModel()
    opt = torch.optim.Adam(model.parameters(), lr=8e-3)
    epochs = 10
    sched = torch.optim.lr_scheduler.OneCycleLR(opt, 8e-3, total_steps=epochs * len(loader), pct_start=0.2)
    for epoch in range(epochs):
        model.train()
        total = count = 0
        for seq, amount, n, y in loader:
            loss = F.binary_cross_entropy_with_logits(model(seq, amount, n), y)
            opt.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            opt.step()
            sched.step()
            total, count = total + loss.item() * len(y), count + len(y)
        v, rec, spec = evaluate(model, val_loader, offset)
        print(f"epoch {epoch:2d} train {total / count:.4f} (balanced) val {v:.4f} recall {rec:.3f} specificity {spec:.3f}")
    t, rec, spec = evaluate(model, test_loader, offset)
    prior = -(rate * math.log(rate) + (1 - rate) * math.log(1 - rate))
    print(f"final: test loss {t:.4f} (prior alone {prior:.4f}) recall {rec:.3f} specificity {spec:.3f}")


if __name__ == "__main__":
    main()
