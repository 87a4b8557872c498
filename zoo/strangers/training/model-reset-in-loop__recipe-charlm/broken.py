# %% [markdown]
# ## Character model on a made-up recipe corpus
# The corpus is too big for one pass in memory (well, in real life), so it is cut in shards
# and the model is trained shard after shard.

# %%
import math
import random

import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(0)
random.seed(0)

# %%
VERBS = ["chop", "slice", "fry", "boil", "mix", "bake", "grill", "season", "whisk", "fold in"]
THINGS = ["onions", "carrots", "butter", "garlic", "lentils", "noodles", "tofu", "mushrooms", "rice", "pepper"]
HOW = ["slowly", "until golden", "for ten minutes", "over low heat", "with a pinch of salt", "in a large pan"]


def sentence(rng):
    first, second = rng.sample(THINGS, 2)
    form = rng.randrange(3)
    if form == 0:
        return f"{rng.choice(VERBS)} the {first} {rng.choice(HOW)}. "
    if form == 1:
        return f"{rng.choice(VERBS)} the {first} and the {second}. "
    return f"when the {first} are ready, {rng.choice(VERBS)} the {second} {rng.choice(HOW)}. "


def write(n_sentences, seed):
    rng = random.Random(seed)
    return "".join(sentence(rng) for _ in range(n_sentences))


shards = [write(450, seed) for seed in range(12)]
held_out = write(300, seed=1000)
chars = sorted(set("".join(shards)))
stoi = {c: i for i, c in enumerate(chars)}
print(f"{len(shards)} shards, {sum(map(len, shards))} characters, vocabulary {len(chars)}")


def encode(text):
    return torch.tensor([stoi[c] for c in text])


# %%
cfg = dict(emb=24, hidden=96, block=64, batch=24, lr=3e-3, clip=1.0)


class CharGRU(nn.Module):
    def __init__(self, vocab, emb, hidden):
        super().__init__()
        self.emb = nn.Embedding(vocab, emb)
        self.rnn = nn.GRU(emb, hidden, batch_first=True)
        self.head = nn.Linear(hidden, vocab)

    def forward(self, x, state=None):
        h, state = self.rnn(self.emb(x), state)
        return self.head(h), state


def windows(ids, block):
    n = (len(ids) - 1) // block
    x = ids[:n * block].view(n, block)
    y = ids[1:n * block + 1].view(n, block)
    return x, y


def train_on_shard(text, cfg, model=None, opt=None):
    """One pass over a shard. Starts a model and its optimizer when none is handed in."""
    if model is None:
        model = CharGRU(len(chars), cfg["emb"], cfg["hidden"])
        opt = torch.optim.Adam(model.parameters(), lr=cfg["lr"])
    x, y = windows(encode(text), cfg["block"])
    model.train()
    losses = []
    for idx in torch.randperm(len(x)).split(cfg["batch"]):
        logits, _ = model(x[idx])
        loss = F.cross_entropy(logits.flatten(0, 1), y[idx].flatten())
        opt.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), cfg["clip"])
        opt.step()
        losses.append(loss.item())
    return model, opt, sum(losses) / len(losses)


@torch.no_grad()
def bits_per_char(model, text):
    model.eval()
    x, y = windows(encode(text), cfg["block"])
    logits, _ = model(x)
    return F.cross_entropy(logits.flatten(0, 1), y.flatten()).item() / math.log(2)


# %%
passes = 3
for p in range(passes):
    for i, text in enumerate(shards):
        model, opt, loss = train_on_shard(text, cfg)
        if i % 4 == 3:
            print(f"pass {p} shard {i:2d}  loss {loss:.3f}")

print(f"held-out bits per character: {bits_per_char(model, held_out):.3f}")


# %%
@torch.no_grad()
def sample(model, prompt="when the ", n=120, temperature=0.7):
    model.eval()
    logits, state = model(encode(prompt)[None])
    out = prompt
    for _ in range(n):
        probs = F.softmax(logits[0, -1] / temperature, dim=-1)
        nxt = torch.multinomial(probs, 1)
        out += chars[nxt.item()]
        logits, state = model(nxt[None], state)
    return out


print(sample(model))
