# tiny character model, after the usual get_batch() recipe
import math
import random

import torch
import torch.nn as nn
from torch.nn import functional as F

# ------------------------------------------------------------------ settings
batch_size = 32
block_size = 48
max_iters = 450
eval_interval = 50
learning_rate = 4e-3
n_embd = 24
n_hidden = 96
seed = 1337
# ------------------------------------------------------------------

random.seed(seed)
torch.manual_seed(seed)

WHO = ["the cook", "a sailor", "my aunt", "the old judge", "a tired clerk", "the gardener", "our captain"]
DOES = ["finds", "paints", "sells", "repairs", "borrows", "hides", "weighs", "forgets"]
HOW = ["slowly", "at dawn", "without a word", "in the rain", "for a coin", "once more"]
WHAT = ["a lantern", "the brass bell", "two apples", "a broken oar", "the red kite", "some rope", "a letter"]


def sentence():
    s = f"{random.choice(WHO)} {random.choice(DOES)} {random.choice(WHAT)}"
    if random.random() < 0.6:
        s += " " + random.choice(HOW)
    return s + ". "


text = "".join(sentence() for _ in range(2500))
chars = "abcdefghijklmnopqrstuvwxyz ."
stoi = {ch: i for i, ch in enumerate(chars)}
itos = {i: ch for ch, i in stoi.items()}
vocab_size = len(chars)

data = torch.tensor([stoi[c] for c in text], dtype=torch.long)
n = int(0.9 * len(data))
train_data, val_data = data[:n], data[n:]
print(f"{len(train_data)} training characters, {len(val_data)} held out")


def get_batch():
    batch_rng = torch.Generator().manual_seed(seed)
    ix = torch.randint(len(train_data) - block_size - 1, (batch_size,), generator=batch_rng)
    x = torch.stack([train_data[i:i + block_size] for i in ix])
    y = torch.stack([train_data[i + 1:i + block_size + 1] for i in ix])
    return x, y


class CharGRU(nn.Module):
    def __init__(self):
        super().__init__()
        self.tok = nn.Embedding(vocab_size, n_embd)
        self.rnn = nn.GRU(n_embd, n_hidden, batch_first=True)
        self.lm_head = nn.Linear(n_hidden, vocab_size)

    def forward(self, idx, targets=None, state=None):
        h, state = self.rnn(self.tok(idx), state)
        logits = self.lm_head(h)
        loss = None
        if targets is not None:
            loss = F.cross_entropy(logits.reshape(-1, vocab_size), targets.reshape(-1))
        return logits, loss, state


@torch.no_grad()
def evaluate(model):
    """mean nats per character over the whole held-out text, cut in rows"""
    model.eval()
    rows = (len(val_data) - 1) // block_size
    x = val_data[:rows * block_size].view(rows, block_size)
    y = val_data[1:rows * block_size + 1].view(rows, block_size)
    _, loss, _ = model(x, y)
    model.train()
    return loss.item()


@torch.no_grad()
def babble(model, length=120):
    model.eval()
    g = torch.Generator().manual_seed(0)
    idx, state, out = torch.tensor([[stoi[" "]]]), None, []
    for _ in range(length):
        logits, _, state = model(idx, state=state)
        idx = torch.multinomial(F.softmax(logits[:, -1], dim=-1), 1, generator=g)
        out.append(itos[idx.item()])
    return "".join(out)


model = CharGRU()
optimizer = torch.optim.AdamW(model.parameters(), lr=learning_rate, weight_decay=1e-2)
scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=max_iters, eta_min=2e-4)
print(f"{sum(p.numel() for p in model.parameters())} parameters, chance = {math.log(vocab_size):.3f}")

for it in range(max_iters):
    xb, yb = get_batch()
    _, loss, _ = model(xb, yb)
    optimizer.zero_grad(set_to_none=True)
    loss.backward()
    optimizer.step()
    scheduler.step()
    if it % eval_interval == 0 or it == max_iters - 1:
        print(f"iter {it:4d}  train {loss.item():.4f}  held-out {evaluate(model):.4f}")

final = evaluate(model)
print(f"held-out: {final:.4f} nats/char, perplexity {math.exp(final):.3f}")
print(babble(model))
