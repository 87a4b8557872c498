"""Translate free-form dates ("3rd of march 1998") to ISO with an attentional GRU seq2seq."""
import datetime as dt
import random

import torch
import torch.nn as nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence, pad_sequence
from torch.utils.data import DataLoader

random.seed(12)
torch.manual_seed(12)
PAD, BOS, EOS = 0, 1, 2
SRC_CHARS = "abcdefghijklmnopqrstuvwxyz0123456789 ,./-"
SRC = {c: i + 1 for i, c in enumerate(SRC_CHARS)}
TGT = {c: i + 3 for i, c in enumerate("0123456789-")}
INV = {i: c for c, i in TGT.items()}


def ordinal(n):
    if 10 <= n % 100 <= 20:
        return f"{n}th"
    return f"{n}" + {1: "st", 2: "nd", 3: "rd"}.get(n % 10, "th")


def spell(d):
    month = d.strftime("%B").lower()
    return random.choice([
        f"{ordinal(d.day)} of {month} {d.year}",
        f"{month} {d.day}, {d.year}",
        f"{month[:3]} {d.day} {d.year}",
        f"{d.day}.{d.month}.{d.year}",
        f"{d.month}/{d.day}/{d.year}",
        f"{d.day}/{d.month}/{d.year}" if random.random() < 0.3 else f"{d.month}/{d.day}/{d.year}",
    ])


def make_pairs():
    start = dt.date(1980, 1, 1)
    days = random.sample(range(40 * 365), 3500)      # each calendar day is used once
    return [(spell(d), d.isoformat()) for d in (start + dt.timedelta(k) for k in days)]


def collate(pairs):
    src = [torch.tensor([SRC[c] for c in s]) for s, _ in pairs]
    tgt = [torch.tensor([BOS] + [TGT[c] for c in t] + [EOS]) for _, t in pairs]
    return pad_sequence(src, True), torch.tensor([len(s) for s in src]), pad_sequence(tgt, True)


class Seq2Seq(nn.Module):
    def __init__(self, d=64, emb=24):
        super().__init__()
        self.src_emb = nn.Embedding(len(SRC) + 1, emb, padding_idx=PAD)
        self.tgt_emb = nn.Embedding(len(TGT) + 3, emb, padding_idx=PAD)
        self.encoder = nn.GRU(emb, d, batch_first=True, bidirectional=True)
        self.bridge = nn.Linear(2 * d, d)
        self.keys = nn.Linear(2 * d, d, bias=False)
        self.cell = nn.GRUCell(emb + 2 * d, d)
        self.out = nn.Linear(3 * d, len(TGT) + 3)

    def encode(self, src, lengths):
        packed = pack_padded_sequence(self.src_emb(src), lengths, batch_first=True, enforce_sorted=False)
        states, h = self.encoder(packed)
        states, _ = pad_packed_sequence(states, batch_first=True, total_length=src.size(1))
        return states, self.keys(states), src == PAD, torch.tanh(self.bridge(torch.cat([h[0], h[1]], 1)))

    def step(self, token, h, states, keys, pad):
        score = torch.bmm(keys, h.unsqueeze(2)).squeeze(2) / keys.size(-1) ** 0.5
        attn = score.masked_fill(pad, float("-inf")).softmax(1)
        ctx = torch.bmm(attn.unsqueeze(1), states).squeeze(1)
        h = self.cell(torch.cat([self.tgt_emb(token), ctx], 1), h)
        return self.out(torch.cat([h, ctx], 1)), h

    def forward(self, src, lengths, tgt_in):
        states, keys, pad, h = self.encode(src, lengths)
        logits = []
        for t in range(tgt_in.size(1)):
            y, h = self.step(tgt_in[:, t], h, states, keys, pad)
            logits.append(y)
        return torch.stack(logits, 1)

    @torch.no_grad()
    def greedy(self, src, lengths, max_len=12):
        states, keys, pad, h = self.encode(src, lengths)
        tok = torch.full((src.size(0),), BOS)
        out = []
        for _ in range(max_len):
            y, h = self.step(tok, h, states, keys, pad)
            tok = y.argmax(1)
            out.append(tok)
        return torch.stack(out, 1)


def decode(row):
    chars = []
    for i in row.tolist():
        if i == EOS:
            break
        chars.append(INV.get(i, "?"))
    return "".join(chars)


def exact_match(model, pairs):
    model.eval()
    good = chars = total = 0
    for k in range(0, len(pairs), 200):
        part = pairs[k:k + 200]
        src, lengths, _ = collate(part)
        for (_, gold), row in zip(part, model.greedy(src, lengths)):
            hyp = decode(row)
            good += hyp == gold
            chars += sum(a == b for a, b in zip(hyp, gold))
            total += len(gold)
    return good / len(pairs), chars / total


pairs = make_pairs()
train, val = pairs[:3000], pairs[3000:]
loader = DataLoader(train, batch_size=50, shuffle=True, collate_fn=collate)
model = Seq2Seq()
opt = torch.optim.Adam(model.parameters(), lr=4e-3)
criterion = nn.CrossEntropyLoss(ignore_index=PAD)
EPOCHS = 3
sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, EPOCHS * len(loader), eta_min=1e-4)

for epoch in range(EPOCHS):
    model.train()
    total = 0.0
    for src, lengths, tgt in loader:
        logits = model(src, lengths, tgt[:, :-1])
        loss = criterion(logits.flatten(0, 1), tgt[:, 1:].flatten())
        opt.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        opt.step()
        sched.step()
        total += loss.item()
    em, ca = exact_match(model, val)
    print(f"epoch {epoch + 1}: loss {total / len(loader):.4f}  exact {em:.3f}  chars {ca:.3f}")

columns = list(zip(*(t for _, t in train)))
template = "".join(max(set(c), key=c.count) for c in columns)
naive = sum(a == b for _, t in val for a, b in zip(template, t)) / sum(len(t) for _, t in val)
print(f"held-out exact match {em:.3f} (constant answer 0.000), character accuracy {ca:.3f} (constant {naive:.3f})")
print(val[0][0], "->", decode(model.greedy(*collate(val[:1])[:2])[0]))
