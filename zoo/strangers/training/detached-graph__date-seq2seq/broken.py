# -*- coding: utf-8 -*-
# char level encoder / decoder: human dates -> ISO dates,  no attention
import datetime
import random
import time

import torch
import torch.nn as nn
import torch.nn.functional as F

random.seed(7)
torch.manual_seed(7)

PAD, SOS = 0, 1
MONTHS = 'jan feb mar apr may jun jul aug sep oct nov dec'.split()
IN_CHARS = ' ,0123456789abcdefghijklmnopqrstuvwxyz'
OUT_CHARS = '-0123456789'
in_index = dict((c, i + 2) for i, c in enumerate(IN_CHARS))
out_index = dict((c, i + 2) for i, c in enumerate(OUT_CHARS))


def write_date(d):
    m = MONTHS[d.month - 1]
    if random.random() < 0.5:
        return '%d %s %02d' % (d.day, m, d.year % 100)
    return '%s %d, %02d' % (m, d.day, d.year % 100)


def make_pairs(days):
    pairs = []
    for k in days:
        d = datetime.date(1950, 1, 1) + datetime.timedelta(days=k)
        pairs.append((write_date(d), d.strftime('%y-%m-%d')))
    return pairs


def tensorize(pairs):
    width = max(len(s) for s, _ in pairs)
    src = torch.zeros(len(pairs), width, dtype=torch.long)
    tgt = torch.zeros(len(pairs), 8, dtype=torch.long)
    for n, (s, t) in enumerate(pairs):
        src[n, width - len(s):] = torch.tensor([in_index[c] for c in s])   # padded on the left
        tgt[n] = torch.tensor([out_index[c] for c in t])
    return src, tgt


class Encoder(nn.Module):
    def __init__(self, hidden):
        super(Encoder, self).__init__()
        self.embedding = nn.Embedding(len(IN_CHARS) + 2, 24, padding_idx=PAD)
        self.gru = nn.GRU(24, hidden, batch_first=True)

    def forward(self, src):
        _, hidden = self.gru(self.embedding(src))
        return hidden


class Decoder(nn.Module):
    def __init__(self, hidden):
        super(Decoder, self).__init__()
        self.embedding = nn.Embedding(len(OUT_CHARS) + 2, 16)
        self.gru = nn.GRU(16, hidden, batch_first=True)
        self.out = nn.Linear(hidden, len(OUT_CHARS) + 2)

    def forward(self, tokens, hidden):
        output, hidden = self.gru(self.embedding(tokens), hidden)
        return self.out(output), hidden


class Seq2Seq(nn.Module):
    def __init__(self, hidden=96):
        super(Seq2Seq, self).__init__()
        self.encoder = Encoder(hidden)
        self.decoder = Decoder(hidden)

    def forward(self, src, tgt):
        hidden = self.encoder(src).data
        start = torch.full((src.size(0), 1), SOS, dtype=torch.long)
        logits, _ = self.decoder(torch.cat([start, tgt[:, :-1]], 1), hidden)
        return logits

    def translate(self, src, length=8):
        hidden = self.encoder(src)
        token = torch.full((src.size(0), 1), SOS, dtype=torch.long)
        result = []
        for _ in range(length):
            logits, hidden = self.decoder(token, hidden)
            token = logits.argmax(-1)
            result.append(token)
        return torch.cat(result, 1)


def exact(model, src, tgt):
    model.eval()
    with torch.no_grad():
        return (model.translate(src) == tgt).all(1).float().mean().item()


days = random.sample(range(365 * 50), 8000)
src, tgt = tensorize(make_pairs(days))
train_src, train_tgt = src[:6400], tgt[:6400]
dev_src, dev_tgt = src[6400:7200], tgt[6400:7200]
test_src, test_tgt = src[7200:], tgt[7200:]

EPOCHS = 8
model = Seq2Seq()
optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, EPOCHS)
began = time.time()
for epoch in range(1, EPOCHS + 1):
    model.train()
    total = 0.0
    for idx in torch.randperm(len(train_src)).split(64):
        logits = model(train_src[idx], train_tgt[idx])
        loss = F.cross_entropy(logits.reshape(-1, logits.size(-1)), train_tgt[idx].reshape(-1))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        total += loss.item() * len(idx)
    scheduler.step()
    print('epoch %d (%.0fs)  loss %.4f  dev exact %.3f'
          % (epoch, time.time() - began, total / len(train_src), exact(model, dev_src, dev_tgt)))

print('test: %.3f of dates exactly right' % exact(model, test_src, test_tgt))
