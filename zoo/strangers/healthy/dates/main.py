"""Attention is all you need, at one ten-thousandth of the size: "mar 7, 1988" -> "19880307"."""
from collections import Counter
import math
import time
import warnings

import torch
from torch import nn
from torch.nn.utils.rnn import pad_sequence
from torch.utils.data import DataLoader

import corpus
from model import DateTransformer

warnings.filterwarnings("ignore", message=".*nested tensors is in prototype.*")
torch.manual_seed(4)
train, val, test = corpus.build(seed=4)
src_vocab, tgt_vocab = corpus.Vocab(s for s, _ in train), corpus.Vocab(t for _, t in train)


def collate(pairs):
    src = pad_sequence([src_vocab.encode(s) for s, _ in pairs], batch_first=True, padding_value=corpus.PAD)
    tgt = pad_sequence([tgt_vocab.encode(t) for _, t in pairs], batch_first=True, padding_value=corpus.PAD)
    return src, tgt


train_dl = DataLoader(train, batch_size=96, shuffle=True, collate_fn=collate)
val_dl = DataLoader(val, batch_size=500, collate_fn=collate)
test_dl = DataLoader(test, batch_size=500, collate_fn=collate)

model = DateTransformer(len(src_vocab), len(tgt_vocab))
loss_fn = nn.CrossEntropyLoss(ignore_index=corpus.PAD)
optimizer = torch.optim.Adam(model.parameters(), lr=3e-3, betas=(0.9, 0.98))
EPOCHS, WARMUP = 4, 50
TOTAL = EPOCHS * len(train_dl)
# warm up, then down a half cosine to a twentieth; stepped once per batch
shape = lambda s: (s + 1) / WARMUP if s < WARMUP else 0.05 + 0.475 * (1 + math.cos(math.pi * (s - WARMUP) / (TOTAL - WARMUP)))
scheduler = torch.optim.lr_scheduler.LambdaLR(optimizer, shape)


def step_loss(src, tgt):
    logits = model(src, tgt[:, :-1])                       # read up to here,
    return loss_fn(logits.flatten(0, 1), tgt[:, 1:].flatten())   # say what comes next


def bleu2(hyps, refs):
    """corpus BLEU over characters, 1- and 2-grams, with the usual brevity penalty"""
    logs = 0.0
    for n in (1, 2):
        hit = total = 0
        for h, r in zip(hyps, refs):
            a, b = (Counter(s[i:i + n] for i in range(len(s) - n + 1)) for s in (h, r))
            hit += sum((a & b).values())
            total += sum(a.values())
        logs += math.log(max(hit, 1e-9) / max(total, 1)) / 2
    hl, rl = sum(map(len, hyps)), sum(map(len, refs))
    return math.exp(logs + min(0.0, 1 - rl / max(hl, 1)))


def evaluate(dl):
    model.eval()
    total = count = 0
    hyps, refs = [], []
    with torch.no_grad():
        for src, tgt in dl:
            n = (tgt[:, 1:] != corpus.PAD).sum().item()
            total += step_loss(src, tgt).item() * n
            count += n
            hyps += [tgt_vocab.decode(r) for r in model.translate(src, 9).tolist()]
            refs += [tgt_vocab.decode(r) for r in tgt[:, 1:].tolist()]
    exact = sum(h == r for h, r in zip(hyps, refs)) / len(refs)
    return total / count, exact, bleu2(hyps, refs), hyps


started = time.time()
for epoch in range(1, EPOCHS + 1):
    model.train()
    running = tokens = 0
    for src, tgt in train_dl:
        loss = step_loss(src, tgt)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        scheduler.step()
        n = (tgt[:, 1:] != corpus.PAD).sum().item()
        running += loss.item() * n
        tokens += n
    v_loss, v_exact, v_bleu, _ = evaluate(val_dl)
    print(f"epoch {epoch}  train {running / tokens:.4f}  val {v_loss:.4f}  exact {v_exact:.3f}  BLEU-2 {v_bleu:.3f}  ({time.time() - started:.0f}s)")

t_loss, t_exact, t_bleu, hyps = evaluate(test_dl)
print(f"test  loss {t_loss:.4f}  exact match {t_exact:.4f}  BLEU-2 {t_bleu:.4f}")
for (s, t), h in list(zip(test, hyps))[:5]:
    print(f"  {s:>14s} -> {h}  {'ok' if h == t else 'should be ' + t}")
