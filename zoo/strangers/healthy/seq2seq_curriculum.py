"""Dates in loose notation -> ISO dates, GRU encoder/decoder with attention.

Short source strings come first; the share of teacher forcing goes down as training proceeds.
"""
import random

import torch
import torch.nn as nn
import torch.nn.functional as F

PAD, BOS, EOS = 0, 1, 2
MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]
ALPHABET = "abcdefghijklmnopqrstuvwxyz0123456789 -,/"
IDX = {c: i + 3 for i, c in enumerate(ALPHABET)}
VOCAB = len(ALPHABET) + 3


def make_pair(rng):
    d, m, y = rng.randint(1, 28), rng.randint(1, 12), rng.randint(1980, 2039)
    style = rng.randrange(3)
    if style == 0:
        src = f"{d}/{m}/{y % 100:02d}"
    elif style == 1:
        src = f"{d} {MONTHS[m - 1]} {y}"
    else:
        src = f"{MONTHS[m - 1]} {d}, {y}"
    return src, f"{y}-{m:02d}-{d:02d}"


def to_tensor(texts):
    rows = [torch.tensor([IDX[c] for c in t] + [EOS]) for t in texts]
    return nn.utils.rnn.pad_sequence(rows, batch_first=True, padding_value=PAD)


class Seq2Seq(nn.Module):
    def __init__(self, dim=32, hidden=64):
        super().__init__()
        self.emb = nn.Embedding(VOCAB, dim, padding_idx=PAD)
        self.encoder = nn.GRU(dim, hidden // 2, batch_first=True, bidirectional=True)
        self.cell = nn.GRUCell(dim + hidden, hidden)
        self.query = nn.Linear(hidden, hidden, bias=False)
        self.out = nn.Linear(2 * hidden, VOCAB)

    def encode(self, src):
        lengths = (src != PAD).sum(1)
        packed = nn.utils.rnn.pack_padded_sequence(
            self.emb(src), lengths, batch_first=True, enforce_sorted=False)
        memory, h = self.encoder(packed)
        memory, _ = nn.utils.rnn.pad_packed_sequence(memory, batch_first=True)
        return memory, torch.cat([h[0], h[1]], dim=-1), src != PAD

    def step(self, token, h, context, memory, mask):
        h = self.cell(torch.cat([self.emb(token), context], dim=-1), h)
        score = (memory @ self.query(h).unsqueeze(-1)).squeeze(-1) / memory.shape[-1] ** 0.5
        weights = score.masked_fill(~mask, float("-inf")).softmax(dim=-1)
        context = (weights.unsqueeze(1) @ memory).squeeze(1)
        return self.out(torch.cat([h, context], dim=-1)), h, context

    def forward(self, src, tgt, forcing, rng):
        memory, h, mask = self.encode(src)
        context = torch.zeros_like(h)
        token = torch.full((len(src),), BOS)
        logits = []
        for t in range(tgt.shape[1]):
            out, h, context = self.step(token, h, context, memory, mask)
            logits.append(out)
            token = tgt[:, t] if rng.random() < forcing else out.argmax(-1)
        return torch.stack(logits, dim=1)

    @torch.no_grad()
    def greedy(self, src, max_len=11):
        memory, h, mask = self.encode(src)
        context = torch.zeros_like(h)
        token = torch.full((len(src),), BOS)
        done = torch.zeros(len(src), dtype=torch.bool)
        result = []
        for _ in range(max_len):
            out, h, context = self.step(token, h, context, memory, mask)
            token = out.argmax(-1).masked_fill(done, PAD)
            done |= token == EOS
            result.append(token)
        return torch.stack(result, dim=1)


def exact_match(model, pairs):
    model.eval()
    src, tgt = to_tensor([s for s, _ in pairs]), to_tensor([t for _, t in pairs])
    guess = model.greedy(src, max_len=tgt.shape[1])
    return (guess == tgt).all(dim=1).float().mean().item()


def main():
    rng = random.Random(6)
    torch.manual_seed(6)
    pool = list(dict.fromkeys(make_pair(rng) for _ in range(5200)))
    rng.shuffle(pool)
    dates = sorted({t for _, t in pool})
    rng.shuffle(dates)
    reserved, final = set(dates[:300]), set(dates[300:600])
    valid = [p for p in pool if p[1] in reserved]
    test = [p for p in pool if p[1] in final]
    train = [p for p in pool if p[1] not in reserved and p[1] not in final]
    easy = [p for p in train if len(p[0]) <= 8]
    print(f"{len(train)} train pairs ({len(easy)} short), {len(valid)} valid, {len(test)} test")

    model = Seq2Seq()
    steps = 400
    opt = torch.optim.Adam(model.parameters(), lr=5e-3)
    sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, T_max=steps, eta_min=2e-4)
    window = []
    for step in range(1, steps + 1):
        model.train()
        share_easy = max(0.0, 0.7 * (1 - step / 150))
        batch = [rng.choice(easy) if rng.random() < share_easy else rng.choice(train) for _ in range(48)]
        forcing = max(0.6, 1.0 - 0.4 * step / 350)
        src, tgt = to_tensor([s for s, _ in batch]), to_tensor([t for _, t in batch])
        logits = model(src, tgt, forcing, rng)
        loss = F.cross_entropy(logits.flatten(0, 1), tgt.flatten(), ignore_index=PAD)
        opt.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 2.0)
        opt.step()
        sched.step()
        window.append(loss.item())
        if step % 50 == 0:
            print(f"step {step}  loss {sum(window) / len(window):.3f}  forcing {forcing:.2f}  "
                  f"short share {share_easy:.2f}  valid exact {exact_match(model, valid):.3f}")
            window = []
    print(f"test exact match {exact_match(model, test):.3f}")


if __name__ == "__main__":
    main()
