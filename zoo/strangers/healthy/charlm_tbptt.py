#!/usr/bin/env python3
# character LM over shipping radio bulletins; truncated BPTT, state carried across chunks
import math, random
from collections import Counter
import torch, torch.nn as nn, torch.nn.functional as F
from torch.utils.data import IterableDataset, DataLoader

random.seed(4); torch.manual_seed(4)

AREAS = "viking forties cromarty forth tyne dogger fisher humber thames dover wight plymouth biscay fitzroy".split()
WINDS = "northerly southerly westerly easterly variable cyclonic".split()
SEAS = "smooth slight moderate rough".split()
SKY = ["fair", "showers", "rain at times", "occasional drizzle", "squally showers"]


def bulletin():
    k = random.randint(2, 8)
    sea = SEAS[min(3, max(0, (k - 2) // 2 + random.choice([-1, 0, 0, 0, 1])))]   # sea follows the wind force
    vis = "poor" if k < 4 and random.random() < 0.6 else "good"
    return f"{random.choice(AREAS)}: {random.choice(WINDS)} {k} to {k + 1}. {sea}. {random.choice(SKY)}. {vis}.\n"


def corpus(n):
    return "".join(bulletin() for _ in range(n))


train_txt, val_txt = corpus(2600), corpus(300)
chars = sorted(set(train_txt) | set("\n"))
stoi = {c: i for i, c in enumerate(chars)}
enc = lambda s: torch.tensor([stoi[c] for c in s])


class Chunks(IterableDataset):
    """Lays the text out as parallel streams and yields consecutive (input, target) chunks."""

    def __init__(self, ids, streams, chunk):
        n = (len(ids) - 1) // streams
        self.x = ids[: n * streams].view(streams, n)
        self.y = ids[1: n * streams + 1].view(streams, n)
        self.chunk = chunk

    def __iter__(self):
        for s in range(0, self.x.size(1), self.chunk):
            yield self.x[:, s:s + self.chunk], self.y[:, s:s + self.chunk]


class CharLM(nn.Module):
    def __init__(self, v, d=96):
        super().__init__()
        self.emb = nn.Embedding(v, 32)
        self.rnn = nn.LSTM(32, d, batch_first=True)
        self.drop = nn.Dropout(0.1)
        self.out = nn.Linear(d, v)

    def forward(self, x, state):
        h, state = self.rnn(self.emb(x), state)
        return self.out(self.drop(h)), state


def bits(model, loader):
    model.eval()
    state, nll, n = None, 0.0, 0
    with torch.no_grad():
        for x, y in loader:
            logits, state = model(x, state)
            nll += F.cross_entropy(logits.flatten(0, 1), y.flatten(), reduction="sum").item()
            n += y.numel()
    return nll / n / math.log(2)


def ngram_bits(order):
    ctx, full = Counter(), Counter()
    for i in range(order, len(train_txt)):
        ctx[train_txt[i - order:i]] += 1
        full[train_txt[i - order:i + 1]] += 1
    tot = 0.0
    for i in range(order, len(val_txt)):
        p = (full[val_txt[i - order:i + 1]] + 0.1) / (ctx[val_txt[i - order:i]] + 0.1 * len(chars))
        tot -= math.log2(p)
    return tot / (len(val_txt) - order)


# order of the chunks matters here: the hidden state flows from one to the next
train_dl = DataLoader(Chunks(enc(train_txt), 32, 50), batch_size=None, shuffle=False)
val_dl = DataLoader(Chunks(enc(val_txt), 8, 100), batch_size=None)
lm = CharLM(len(chars))
opt = torch.optim.AdamW(lm.parameters(), lr=4e-3, weight_decay=1e-3)

print("epoch,step,train_bits,val_bits")
step = 0
for epoch in range(4):
    state = None
    acc = []
    for x, y in train_dl:
        lm.train()
        if state is not None:
            state = tuple(s.detach() for s in state)
        logits, state = lm(x, state)
        loss = F.cross_entropy(logits.flatten(0, 1), y.flatten())
        opt.zero_grad(); loss.backward()
        nn.utils.clip_grad_norm_(lm.parameters(), 1.0)
        opt.step()
        acc.append(loss.item()); step += 1
    print(f"{epoch},{step},{sum(acc) / len(acc) / math.log(2):.4f},{bits(lm, val_dl):.4f}")
    if epoch == 2:
        for group in opt.param_groups:
            group["lr"] *= 0.25

print(f"# bits per character: lstm {bits(lm, val_dl):.4f}, unigram {ngram_bits(0):.4f}, bigram {ngram_bits(1):.4f}")
