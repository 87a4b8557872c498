"""Dates as people write them, and the same dates as YYYYMMDD. Every calendar day belongs to one split only."""
import datetime
import random

import torch

PAD, BOS, EOS = 0, 1, 2
MONTHS = "jan feb mar apr may jun jul aug sep oct nov dec".split()


def write(d, rng):
    m = MONTHS[d.month - 1]
    return rng.choice([f"{d.day} {m} {d.year}", f"{m} {d.day}, {d.year}", f"{d.day:02d}.{d.month:02d}.{d.year}",
                       f"{d.year}/{d.month}/{d.day}", f"{m} {d.day} '{d.year % 100:02d}"])


def build(seed):
    rng = random.Random(seed)
    first = datetime.date(1970, 1, 1)
    days = [first + datetime.timedelta(i) for i in range(12000)]       # up to 2002, so two digits are never ambiguous
    rng.shuffle(days)
    pairs = [(write(d, rng), d.strftime("%Y%m%d")) for d in days]
    return pairs[:9000], pairs[9000:10500], pairs[10500:]


class Vocab:
    def __init__(self, texts):
        chars = sorted({c for t in texts for c in t})
        self.stoi = {c: i + 3 for i, c in enumerate(chars)}
        self.itos = {i: c for c, i in self.stoi.items()}

    def __len__(self):
        return len(self.stoi) + 3

    def encode(self, text):
        return torch.tensor([BOS] + [self.stoi[c] for c in text] + [EOS])

    def decode(self, ids):
        out = []
        for i in ids:
            if i == EOS:
                break
            if i > EOS:
                out.append(self.itos[i])
        return "".join(out)
