import random

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F

random.seed(0)
np.random.seed(0)
torch.manual_seed(0)

# ---------------------------------------------------------------
# Toy "translation": a sentence in language A becomes its mirror
# image in language B, every word replaced through a dictionary.
# ---------------------------------------------------------------
VOCAB = 10
LENGTH = 7
BOS = VOCAB
DICTIONARY = np.random.permutation(VOCAB)


def make_pairs(n):
    src = np.random.randint(0, VOCAB, size=(n, LENGTH))
    tgt = DICTIONARY[src[:, ::-1]]
    return torch.tensor(src), torch.tensor(tgt)


all_src, all_tgt = make_pairs(4000)
train_src, train_tgt = all_src[:3200], all_tgt[:3200]
test_src, test_tgt = all_src[3200:], all_tgt[3200:]


class Encoder(nn.Module):
    def __init__(self, emb=24, hidden=32):
        super().__init__()
        self.embedding = nn.Embedding(VOCAB, emb)
        self.gru = nn.GRU(emb, hidden, batch_first=True, bidirectional=True)
        self.bridge = nn.Linear(2 * hidden, hidden)

    def forward(self, src):
        outputs, last = self.gru(self.embedding(src))
        state = torch.tanh(self.bridge(torch.cat([last[0], last[1]], dim=1)))
        return outputs, state


class Attention(nn.Module):
    """Additive attention (Bahdanau et al., 2015)."""

    def __init__(self, hidden=32):
        super().__init__()
        self.from_enc = nn.Linear(2 * hidden, hidden)
        self.from_dec = nn.Linear(hidden, hidden)
        self.v = nn.Linear(hidden, 1, bias=False)

    def forward(self, state, enc_out):
        # state: [batch, hidden]   enc_out: [batch, src_len, 2*hidden]
        energy = torch.tanh(self.from_enc(enc_out) + self.from_dec(state).unsqueeze(1))
        scores = self.v(energy).squeeze(2)
        weights = F.softmax(scores, dim=0)
        return torch.bmm(weights.unsqueeze(1), enc_out).squeeze(1)


class Decoder(nn.Module):
    def __init__(self, emb=24, hidden=32):
        super().__init__()
        self.embedding = nn.Embedding(VOCAB + 1, emb)
        self.attention = Attention(hidden)
        self.cell = nn.GRUCell(emb + 2 * hidden, hidden)
        self.out = nn.Linear(3 * hidden, VOCAB)

    def step(self, token, state, enc_out):
        context = self.attention(state, enc_out)
        state = self.cell(torch.cat([self.embedding(token), context], dim=1), state)
        return self.out(torch.cat([state, context], dim=1)), state


encoder, decoder = Encoder(), Decoder()
params = list(encoder.parameters()) + list(decoder.parameters())
optimizer = torch.optim.Adam(params, lr=1e-2)


def run(src, tgt=None):
    """With tgt: teacher forcing. Without: greedy decoding."""
    enc_out, state = encoder(src)
    token = torch.full((len(src),), BOS)
    all_logits = []
    for t in range(LENGTH):
        logits, state = decoder.step(token, state, enc_out)
        all_logits.append(logits)
        token = tgt[:, t] if tgt is not None else logits.argmax(dim=1)
    return torch.stack(all_logits, dim=1)


BATCH = 80
EPOCHS = 10
scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, EPOCHS)
for epoch in range(EPOCHS):
    order = torch.randperm(len(train_src))
    losses = []
    for i in range(0, len(order), BATCH):
        idx = order[i:i + BATCH]
        logits = run(train_src[idx], train_tgt[idx])
        loss = F.cross_entropy(logits.reshape(-1, VOCAB), train_tgt[idx].reshape(-1))
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(params, 5.0)
        optimizer.step()
        losses.append(loss.item())
    scheduler.step()
    print("epoch %d, training loss %.4f" % (epoch + 1, sum(losses) / len(losses)))

with torch.no_grad():
    prediction = run(test_src).argmax(dim=2)
words = (prediction == test_tgt).float().mean().item()
sentences = (prediction == test_tgt).all(dim=1).float().mean().item()
print("test: %.1f%% of words right, %.1f%% of sentences (chance %.1f%%)" % (100 * words, 100 * sentences, 100 / VOCAB))
