"""GRU encoder-decoder that rewrites dates: '7 mar 1994' -> '1994-03-07'."""
import random
import string
import time

import torch
import torch.nn as nn

MONTHS = "jan feb mar apr may jun jul aug sep oct nov dec".split()
ALPHABET = ["_", "^", "$"] + list(string.digits + string.ascii_lowercase + " -,")
INDEX = {c: i for i, c in enumerate(ALPHABET)}
BOS, EOS = INDEX["^"], INDEX["$"]
SRC_LEN, TGT_LEN = 13, 11


def one_pair(rng):
    y, m, d = rng.randint(1950, 2019), rng.randint(1, 12), rng.randint(1, 28)
    style = rng.randrange(3)
    if style == 0:
        src = f"{d} {MONTHS[m - 1]} {y}"
    elif style == 1:
        src = f"{MONTHS[m - 1]} {d}, {y}"
    else:
        src = f"{m}-{d}-{y}"
    return src, f"{y}-{m:02d}-{d:02d}"


def to_ids(text, width, end=True):
    ids = [INDEX[c] for c in text] + ([EOS] if end else [])
    return ids + [0] * (width - len(ids))


def tensors(n, seed):
    rng = random.Random(seed)
    pairs = [one_pair(rng) for _ in range(n)]
    src = torch.tensor([to_ids(s, SRC_LEN) for s, _ in pairs])
    tgt = torch.tensor([to_ids(t, TGT_LEN) for _, t in pairs])
    return src, tgt, pairs


class DateRewriter(nn.Module):
    def __init__(self, emb=32, hid=96):
        super().__init__()
        self.embed = nn.Embedding(len(ALPHABET), emb)
        self.encoder = nn.GRU(emb, hid, bidirectional=True)
        self.bridge = nn.Linear(2 * hid, hid)
        self.decoder = nn.GRU(emb, hid)
        self.query = nn.Linear(hid, 2 * hid)
        self.out = nn.Linear(3 * hid, len(ALPHABET))

    def encode(self, src):
        memory, last = self.encoder(self.embed(src.t()))
        state = torch.tanh(self.bridge(torch.cat([last[0], last[1]], dim=-1)))
        return memory, state.unsqueeze(0)

    def decode(self, tokens, state, memory):
        """tokens: (steps, batch) -> logits (steps, batch, symbols)"""
        h, state = self.decoder(self.embed(tokens), state)
        weights = torch.einsum("tbh,sbh->tbs", self.query(h), memory).softmax(dim=-1)
        context = torch.einsum("tbs,sbh->tbh", weights, memory)
        return self.out(torch.cat([h, context], dim=-1)), state

    def forward(self, src, tgt):
        memory, state = self.encode(src)
        bos = torch.full((1, src.size(0)), BOS)
        logits, _ = self.decode(torch.cat([bos, tgt.t()[:-1]]), state, memory)
        return logits.reshape(src.size(0), tgt.size(1), -1)

    @torch.no_grad()
    def rewrite(self, src):
        memory, state = self.encode(src)
        token = torch.full((1, src.size(0)), BOS)
        produced = []
        for _ in range(TGT_LEN):
            logits, state = self.decode(token, state, memory)
            token = logits.argmax(-1)
            produced.append(token[0])
        return torch.stack(produced, dim=1)


def main():
    torch.manual_seed(8)
    src, tgt, _ = tensors(4000, seed=1)
    dev_src, dev_tgt, dev_pairs = tensors(400, seed=2)
    model = DateRewriter()
    opt = torch.optim.Adam(model.parameters(), lr=3e-3)
    criterion = nn.CrossEntropyLoss()
    began = time.time()
    for epoch in range(1, 9):
        model.train()
        total = 0.0
        for rows in torch.randperm(len(src)).split(64):
            logits = model(src[rows], tgt[rows])
            loss = criterion(logits.reshape(-1, len(ALPHABET)), tgt[rows].reshape(-1))
            opt.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            opt.step()
            total += loss.item() * len(rows)
        model.eval()
        guess = model.rewrite(dev_src)
        exact = (guess == dev_tgt).all(1).float().mean().item()
        chars = (guess == dev_tgt).float().mean().item()
        print(f"pass {epoch} ({time.time() - began:4.1f}s): xent {total / len(src):.4f}, "
              f"dev exact {exact:.3f}, dev chars {chars:.3f}")
    for (s, t), g in list(zip(dev_pairs, guess.tolist()))[:4]:
        print(f"   {s!r:16} -> {''.join(ALPHABET[i] for i in g).split('$')[0]!r}  (want {t!r})")


if __name__ == "__main__":
    main()
