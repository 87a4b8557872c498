# seq2seq: spell dates like "2014-03-27" as "27 mar 14"-style strings, char level, GRU encoder/decoder
import datetime
import random

import torch
import torch.nn as nn

random.seed(7)
torch.manual_seed(7)

MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]
PAD, BOS, EOS = 0, 1, 2
CHARS = sorted(set("0123456789-/ ." + "".join(MONTHS)))
STOI = {c: i + 3 for i, c in enumerate(CHARS)}
ITOS = {i: c for c, i in STOI.items()}
V = len(CHARS) + 3


def make_pair(day):
    d = datetime.date(1990, 1, 1) + datetime.timedelta(days=day)
    fmt = random.choice(["%Y-%m-%d", "%d/%m/%Y", "%Y.%m.%d"])
    return d.strftime(fmt), f"{d.day:02d} {MONTHS[d.month - 1]} {d.year % 100:02d}"


pairs = [make_pair(day) for day in random.sample(range(16000), 5400)]
test_pairs, valid_pairs, train_pairs = pairs[:500], pairs[500:900], pairs[900:]
print(len(train_pairs), "train", len(valid_pairs), "valid", len(test_pairs), "test   e.g.", train_pairs[0])


def tensorize(ps):
    src = torch.tensor([[STOI[c] for c in s] for s, _ in ps])
    tgt = torch.tensor([[BOS] + [STOI[c] for c in t] + [EOS] for _, t in ps])
    return src, tgt


class Encoder(nn.Module):
    def __init__(self, h):
        super().__init__()
        self.emb = nn.Embedding(V, 32)
        self.rnn = nn.GRU(32, h, batch_first=True)

    def forward(self, src):
        out, h = self.rnn(self.emb(src))
        return out, h[-1]


class Decoder(nn.Module):
    def __init__(self, h):
        super().__init__()
        self.emb = nn.Embedding(V, 32)
        self.cell = nn.GRUCell(32 + h, h)
        self.query = nn.Linear(h, h, bias=False)
        self.out = nn.Linear(2 * h, V)

    def step(self, tok, hidden, memory):
        scores = torch.bmm(memory, self.query(hidden).unsqueeze(2)).squeeze(2)
        ctx = torch.bmm(scores.softmax(1).unsqueeze(1), memory).squeeze(1)
        hidden = self.cell(torch.cat([self.emb(tok), ctx], 1), hidden)
        return self.out(torch.cat([hidden, ctx], 1)), hidden


class Seq2Seq(nn.Module):
    def __init__(self, h=56):
        super().__init__()
        self.enc, self.dec = Encoder(h), Decoder(h)

    def forward(self, src, tgt):
        memory, hidden = self.enc(src)
        logits = []
        for t in range(tgt.size(1) - 1):
            step_logits, _ = self.dec.step(tgt[:, t], hidden, memory)
            logits.append(step_logits)
        return torch.stack(logits, 1)

    @torch.no_grad()
    def greedy(self, src, max_len=12):
        memory, hidden = self.enc(src)
        tok = torch.full((len(src),), BOS)
        rows = []
        for _ in range(max_len):
            step_logits, _ = self.dec.step(tok, hidden, memory)
            tok = step_logits.argmax(1)
            rows.append(tok)
        return torch.stack(rows, 1)


def to_text(row):
    s = ""
    for i in row.tolist():
        if i == EOS:
            break
        s += ITOS.get(i, "?")
    return s


def exact_match(model, ps):
    model.eval()
    hyp = model.greedy(tensorize(ps)[0])
    return sum(to_text(h) == t for h, (_, t) in zip(hyp, ps)) / len(ps)


model = Seq2Seq()
opt = torch.optim.Adam(model.parameters(), lr=4e-3)
lossf = nn.CrossEntropyLoss(ignore_index=PAD)
src, tgt = tensorize(train_pairs)
EPOCHS = 5
sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, EPOCHS)
for ep in range(EPOCHS):
    model.train()
    tot = 0
    for idx in torch.randperm(len(src)).split(64):
        logits = model(src[idx], tgt[idx])
        loss = lossf(logits.flatten(0, 1), tgt[idx][:, 1:].flatten())
        opt.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 5.0)
        opt.step()
        tot += loss.item() * len(idx)
    sched.step()
    print(f"ep {ep + 1}: nll/char {tot / len(src):.4f}  valid exact {exact_match(model, valid_pairs):.3f}")

print(f"test exact match: {exact_match(model, test_pairs):.3f}")
for (s, t), h in zip(test_pairs[:4], model.greedy(tensorize(test_pairs[:4])[0])):
    print(f"   {s}  ->  {to_text(h):12s} (ref {t})")
