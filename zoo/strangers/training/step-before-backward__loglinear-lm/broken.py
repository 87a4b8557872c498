# %% [markdown]
# # A log-linear character model
# Before recurrent nets there were log-linear n-gram models: the score of the next
# character is a sum of learned weights, one table per position in the context.
# We train one with momentum SGD on a small generated language and compare it with
# the entropy of plain character counts.

# %%
import math
import random

import torch
import torch.nn as nn

SEED = 4
random.seed(SEED)
torch.manual_seed(SEED)

# %% [markdown]
# ## The language
# Words are built from syllables; frequent words follow Zipf's law and sentences
# follow a loose noun-verb-noun pattern.

# %%
ONSETS = ["b", "d", "k", "l", "m", "n", "p", "r", "s", "t", "st", "tr", "pl", "sh"]
VOWELS = ["a", "e", "i", "o", "u", "ai"]
CODAS = ["", "", "", "n", "r", "s", "l"]


def coin_word(ending):
    syllables = random.choice([1, 2, 2, 3])
    body = "".join(random.choice(ONSETS) + random.choice(VOWELS) + random.choice(CODAS) for _ in range(syllables))
    return body + ending


NOUNS = [coin_word(random.choice(["o", "im"])) for _ in range(60)]
VERBS = [coin_word("eth") for _ in range(25)]
LINKS = ["an", "ut", "sil", "eme"]


def zipf(words):
    return random.choices(words, weights=[1 / (r + 2) for r in range(len(words))])[0]


def sentence():
    parts = [zipf(NOUNS), zipf(VERBS), zipf(NOUNS)]
    if random.random() < 0.4:
        parts += [zipf(LINKS), zipf(NOUNS)]
    return " ".join(parts) + "."


train_text = " ".join(sentence() for _ in range(4000))
test_text = " ".join(sentence() for _ in range(600))
alphabet = sorted(set(train_text) | set(test_text))
lookup = {c: i for i, c in enumerate(alphabet)}
print(f"{len(train_text)} training characters, alphabet of {len(alphabet)}")
print("sample:", test_text[:70])


def windows(text, reach):
    """(n, reach) context indices and (n,) next characters"""
    ids = torch.tensor([lookup[c] for c in text])
    return ids.unfold(0, reach, 1)[:-1], ids[reach:]


# %% [markdown]
# ## Model and trainer

# %%
class LogLinear(nn.Module):
    def __init__(self, n_chars, reach):
        super().__init__()
        self.reach = reach
        self.tables = nn.ModuleList(nn.Embedding(n_chars, n_chars) for _ in range(reach))
        self.bias = nn.Parameter(torch.zeros(n_chars))
        for t in self.tables:
            nn.init.normal_(t.weight, std=0.01)

    def forward(self, context):
        scores = self.bias
        for k, table in enumerate(self.tables):
            scores = scores + table(context[:, k])
        return scores


class Trainer:
    def __init__(self, model, lr=2.0, momentum=0.9, batch_size=256):
        self.model = model
        self.batch_size = batch_size
        self.opt = torch.optim.SGD(model.parameters(), lr=lr, momentum=momentum)
        self.loss_fn = nn.CrossEntropyLoss()

    def update(self):
        self.opt.step()
        self.opt.zero_grad()

    def run_epoch(self, context, target):
        self.model.train()
        order = torch.randperm(len(target))
        total, n = 0.0, 0
        for idx in order.split(self.batch_size):
            loss = self.loss_fn(self.model(context[idx]), target[idx])
            self.update()
            loss.backward()
            total += loss.item() * len(idx)
            n += len(idx)
        return total / n

    @torch.no_grad()
    def bits(self, context, target):
        self.model.eval()
        return self.loss_fn(self.model(context), target).item() / math.log(2)


# %%
REACH = 8
EPOCHS = 6
ctx_tr, nxt_tr = windows(train_text, REACH)
ctx_te, nxt_te = windows(test_text, REACH)

trainer = Trainer(LogLinear(len(alphabet), REACH))
for epoch in range(1, EPOCHS + 1):
    loss = trainer.run_epoch(ctx_tr, nxt_tr)
    print(f"epoch {epoch}: train {loss / math.log(2):.3f} bits/char, test {trainer.bits(ctx_te, nxt_te):.3f} bits/char")

# %%
freq = torch.bincount(nxt_tr, minlength=len(alphabet)).float() + 1
unigram = -(freq / freq.sum()).log2()[nxt_te].mean().item()
print(f"final: {trainer.bits(ctx_te, nxt_te):.3f} bits/char on held-out text (character counts alone: {unigram:.3f})")
