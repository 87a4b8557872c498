"""Character-level language model (GRU) on generated ship's-log sentences."""
import math
import random

import torch
import torch.nn as nn
import torch.nn.functional as F

# hyperparameters
batch_size = 32
block_size = 48
max_iters = 400
eval_interval = 50
eval_iters = 5
learning_rate = 1e-1
n_embd = 32
n_hidden = 96
# ------------

torch.manual_seed(1337)
rnd = random.Random(1337)

who = ["the mate", "our cook", "the captain", "a sailor", "the surgeon", "the boy", "an old gunner", "the carpenter"]
did = ["sighted", "mended", "counted", "lost", "traded", "painted", "hauled in", "buried", "weighed", "sketched"]
how = ["with great care", "in a hurry", "without a word", "at last", "against all advice", "for the third time"]
size = ["small", "broken", "heavy", "strange", "second", "rusty", "green", "empty", "borrowed"]
thing = ["anchor", "sail", "barrel", "whale", "compass", "island", "lantern", "ladder", "chest", "pump", "net"]
where = ["near the reef", "off the cape", "below deck", "in thick fog", "under the stars", "by the north shore"]


def sentence():
    parts = [rnd.choice(who), rnd.choice(did), str(rnd.randint(2, 9)) if rnd.random() < 0.3 else "a",
             rnd.choice(size), rnd.choice(thing), rnd.choice(where)]
    if rnd.random() < 0.6:
        parts.append(rnd.choice(how))
    return " ".join(parts) + ". "


text = "".join(sentence() for _ in range(2500))
chars = sorted(set(text))
vocab_size = len(chars)
stoi = {ch: i for i, ch in enumerate(chars)}
itos = {i: ch for i, ch in enumerate(chars)}
encode = lambda s: [stoi[c] for c in s]
decode = lambda l: "".join(itos[i] for i in l)

data = torch.tensor(encode(text), dtype=torch.long)
n1, n2 = int(0.8 * len(data)), int(0.9 * len(data))
splits = {"train": data[:n1], "val": data[n1:n2], "test": data[n2:]}


def get_batch(split):
    d = splits[split]
    ix = torch.randint(len(d) - block_size, (batch_size,))
    x = torch.stack([d[i:i + block_size] for i in ix])
    y = torch.stack([d[i + 1:i + block_size + 1] for i in ix])
    return x, y


class CharGRU(nn.Module):
    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, n_embd)
        self.gru = nn.GRU(n_embd, n_hidden, batch_first=True)
        self.head = nn.Linear(n_hidden, vocab_size)

    def forward(self, idx, targets=None, h=None):
        x, h = self.gru(self.embedding(idx), h)
        logits = self.head(x)
        if targets is None:
            return logits, h
        return F.cross_entropy(logits.view(-1, vocab_size), targets.view(-1))

    @torch.no_grad()
    def generate(self, start, n):
        idx = torch.tensor([encode(start)])
        out, h = list(idx[0].tolist()), None
        for _ in range(n):
            logits, h = self(idx, h=h)
            idx = torch.multinomial(F.softmax(logits[:, -1], dim=-1), 1)
            out.append(idx.item())
        return decode(out)


@torch.no_grad()
def estimate_loss(split, iters=eval_iters):
    model.eval()
    losses = torch.zeros(iters)
    for k in range(iters):
        losses[k] = model(*get_batch(split)).item()
    model.train()
    return losses.mean().item()


model = CharGRU()
print(sum(p.numel() for p in model.parameters()), "parameters,", vocab_size, "characters")
optimizer = torch.optim.Adam(model.parameters(), lr=learning_rate)

for it in range(max_iters):
    if it % eval_interval == 0:
        print(f"step {it}: train loss {estimate_loss('train'):.4f}, val loss {estimate_loss('val'):.4f}")
    xb, yb = get_batch("train")
    loss = model(xb, yb)
    optimizer.zero_grad(set_to_none=True)
    loss.backward()
    optimizer.step()

print(f"step {max_iters}: train loss {estimate_loss('train'):.4f}, val loss {estimate_loss('val'):.4f}")
test = estimate_loss("test", 20)
model.eval()
print(f"test loss {test:.4f}, perplexity per character {math.exp(test):.3f}")
print(model.generate("the ", 160))
