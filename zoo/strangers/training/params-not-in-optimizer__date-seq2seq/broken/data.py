"""Dates as people write them -> yymmdd."""
import datetime as dt
import random

import torch

MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]
SRC_CHARS = sorted(set("0123456789 ,./-" + "".join(MONTHS)))
PAD = 0
SRC = {c: i + 1 for i, c in enumerate(SRC_CHARS)}
BOS = 10                     # targets are the ten digits and a start symbol
SRC_LEN = 12
TGT_LEN = 6


def render(day, rng):
    style = rng.randrange(3)
    name = MONTHS[day.month - 1]
    if style == 0:
        return f"{day.day} {name} {day.year}"
    if style == 1:
        return f"{name} {day.day:02d}, {day.year}"
    return f"{day.day:02d}.{day.month:02d}.{day.year % 100:02d}"


def make_pairs(seed=0):
    """One string per calendar day of sixteen years, in random order."""
    rng = random.Random(seed)
    first = dt.date(2004, 1, 1)
    days = [first + dt.timedelta(days=i) for i in range(16 * 365 + 4)]
    rng.shuffle(days)
    return [(render(d, rng), d.strftime("%y%m%d")) for d in days]


def collate(pairs):
    src = torch.full((len(pairs), SRC_LEN), PAD)
    for row, (s, _) in enumerate(pairs):
        src[row, SRC_LEN - len(s) :] = torch.tensor([SRC[c] for c in s])
    tgt = torch.tensor([[int(c) for c in t] for _, t in pairs])
    return src, tgt
