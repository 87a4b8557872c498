"""Bracket checker on strings of unequal length. Length buckets, checkpoint half-way, fresh objects, resume, finish."""
import random
import tempfile
from pathlib import Path

import torch
from torch import nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_sequence
from torch.utils.data import DataLoader, Dataset, Sampler

SYMBOLS = "()[]xy"
PAIRS = {"(": ")", "[": "]"}


def well_formed(rng, n):
    out, stack = [], []
    while len(out) + len(stack) < n:
        r = rng.random()
        if stack and r < 0.35:
            out.append(PAIRS[stack.pop()])
        elif r < 0.7 and len(stack) < 3 and len(out) + len(stack) + 2 <= n:
            b = rng.choice("([")
            out.append(b)
            stack.append(b)
        else:
            out.append(rng.choice("xy"))
    return out + [PAIRS[b] for b in reversed(stack)]


def spoil(rng, s):
    spots = [i for i, c in enumerate(s) if c in "()[]"]
    i = rng.choice(spots)
    s = list(s)
    s[i] = {"(": "[", "[": "(", ")": "]", "]": ")"}[s[i]]
    return s


class Strings(Dataset):
    def __init__(self, n, rng, taken):
        self.items = []
        while len(self.items) < n:
            s = well_formed(rng, rng.randint(8, 16))
            bad = len(self.items) % 2
            if not set(s) & set("(["):
                continue
            s = spoil(rng, s) if bad else s
            key = "".join(s)
            if key not in taken:
                taken.add(key)
                self.items.append((torch.tensor([SYMBOLS.index(c) + 1 for c in s]), float(bad)))

    def __len__(self):
        return len(self.items)

    def __getitem__(self, i):
        return self.items[i]


class BucketSampler(Sampler):
    """batches of like length, drawn anew each epoch from its own generator"""

    def __init__(self, lengths, batch, seed):
        self.lengths, self.batch = lengths, batch
        self.gen = torch.Generator().manual_seed(seed)

    def __len__(self):
        return (len(self.lengths) + self.batch - 1) // self.batch

    def __iter__(self):
        order = torch.randperm(len(self.lengths), generator=self.gen).tolist()
        pools = [sorted(order[i:i + 20 * self.batch], key=self.lengths.__getitem__) for i in range(0, len(order), 20 * self.batch)]
        batches = [p[i:i + self.batch] for p in pools for i in range(0, len(p), self.batch)]
        for j in torch.randperm(len(batches), generator=self.gen).tolist():
            yield batches[j]


def collate(rows):
    seqs, ys = zip(*rows)
    return pad_sequence(seqs, batch_first=True), torch.tensor([len(s) for s in seqs]), torch.tensor(ys)


class Checker(nn.Module):
    def __init__(self, hidden=48):
        super().__init__()
        self.emb = nn.Embedding(len(SYMBOLS) + 1, 12, padding_idx=0)
        self.rnn = nn.LSTM(12, hidden, batch_first=True)
        self.out = nn.Linear(hidden, 1)

    def forward(self, x, n):
        _, (h, _) = self.rnn(pack_padded_sequence(self.emb(x), n, batch_first=True, enforce_sorted=False))
        return self.out(h[-1]).squeeze(-1)


class Session:
    def __init__(self, train, epochs, seed):
        self.sampler = BucketSampler([len(s) for s, _ in train.items], 64, seed)
        self.loader = DataLoader(train, batch_sampler=self.sampler, collate_fn=collate)
        self.model = Checker()
        self.opt = torch.optim.Adam(self.model.parameters(), lr=8e-3)
        self.sched = torch.optim.lr_scheduler.OneCycleLR(self.opt, 8e-3, total_steps=epochs * len(self.sampler), pct_start=0.15)
        self.epoch = 0

    def save(self, path):
        torch.save({"model": self.model.state_dict(), "opt": self.opt.state_dict(), "sched": self.sched.state_dict(),
                    "epoch": self.epoch, "sampler": self.sampler.gen.get_state(), "torch": torch.get_rng_state()}, path)

    def load(self, path):
        c = torch.load(path, weights_only=True)
        self.model.load_state_dict(c["model"])
        self.opt.load_state_dict(c["opt"])
        self.sched.load_state_dict(c["sched"])
        self.epoch = c["epoch"]
        self.sampler.gen.set_state(c["sampler"])
        torch.set_rng_state(c["torch"])

    def train_until(self, last, val):
        while self.epoch < last:
            self.model.train()
            total, n = 0.0, 0
            for x, lens, y in self.loader:
                loss = nn.functional.binary_cross_entropy_with_logits(self.model(x, lens), y)
                self.opt.zero_grad()
                loss.backward()
                self.opt.step()
                self.sched.step()
                total, n = total + loss.item() * len(y), n + len(y)
            self.epoch += 1
            print("epoch {:2d}  train {:.4f}  val {:.4f}  acc {:.3f}".format(self.epoch, total / n, *self.score(val)))

    @torch.no_grad()
    def score(self, data):
        self.model.eval()
        x, lens, y = collate(data.items)
        logit = self.model(x, lens)
        loss = nn.functional.binary_cross_entropy_with_logits(logit, y)
        return loss.item(), ((logit > 0).float() == y).float().mean().item()


if __name__ == "__main__":
    torch.manual_seed(5)
    rng, taken = random.Random(5), set()
    train, val, test = (Strings(n, rng, taken) for n in (5000, 600, 600))
    EPOCHS = 10
    with tempfile.TemporaryDirectory() as d:
        path = Path(d) / "half.pt"
        first = Session(train, EPOCHS, seed=5)
        first.train_until(EPOCHS // 2, val)
        first.save(path)
        second = Session(train, EPOCHS, seed=5)
        second.load(path)
        second.train_until(EPOCHS, val)
    print("test loss {:.4f}  accuracy {:.4f}".format(*second.score(test)))
