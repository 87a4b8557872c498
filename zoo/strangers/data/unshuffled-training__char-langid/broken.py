# %% [markdown]
# # Which constructed language is this?
# Five little phonologies, words drawn from each, and a GRU that reads characters.

# %%
import random

import numpy as np
import torch
from torch import nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_sequence
from torch.utils.data import DataLoader, Dataset

SEED = 5
random.seed(SEED)
np.random.seed(SEED)
torch.manual_seed(SEED)

# %%
ALPHABET = "abdefgiklmnoprstuvz"
stoi = {c: i + 1 for i, c in enumerate(ALPHABET)}  # 0 is padding
LANGS = ["veldu", "osirra", "takeni", "brumm", "ilafo"]


def make_phonology(rng):
    # a sparse-ish letter-to-letter transition table
    return rng.dirichlet(np.full(len(ALPHABET), 0.35), size=len(ALPHABET))


def babble(rng, table):
    n = int(rng.integers(12, 22))
    cur = int(rng.integers(len(ALPHABET)))
    out = [cur]
    for _ in range(n - 1):
        cur = int(rng.choice(len(ALPHABET), p=table[cur]))
        out.append(cur)
    return "".join(ALPHABET[i] for i in out)


rng = np.random.default_rng(SEED)
phonologies = [make_phonology(rng) for _ in LANGS]

# %%
train_rows, valid_rows, test_rows = [], [], []
for label, table in enumerate(phonologies):
    phrases = sorted({babble(rng, table) for _ in range(900)})
    random.shuffle(phrases)
    train_rows += [(p, label) for p in phrases[:640]]
    valid_rows += [(p, label) for p in phrases[640:730]]
    test_rows += [(p, label) for p in phrases[730:]]
print(len(train_rows), len(valid_rows), len(test_rows), "phrases; e.g.", train_rows[0])


# %%
class Phrases(Dataset):
    def __init__(self, rows):
        self.rows = rows

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, i):
        text, label = self.rows[i]
        return torch.tensor([stoi[c] for c in text]), label


def collate(items):
    seqs, labels = zip(*items)
    lengths = torch.tensor([len(s) for s in seqs])
    return pad_sequence(seqs, batch_first=True), lengths, torch.tensor(labels)


train_dl = DataLoader(Phrases(train_rows), batch_size=32, collate_fn=collate)
valid_dl = DataLoader(Phrases(valid_rows), batch_size=128, collate_fn=collate)
test_dl = DataLoader(Phrases(test_rows), batch_size=128, collate_fn=collate)


# %%
class LangID(nn.Module):
    def __init__(self, emb=16, hid=48):
        super().__init__()
        self.emb = nn.Embedding(len(ALPHABET) + 1, emb, padding_idx=0)
        self.gru = nn.GRU(emb, hid, batch_first=True)
        self.out = nn.Linear(hid, len(LANGS))

    def forward(self, tokens, lengths):
        packed = pack_padded_sequence(self.emb(tokens), lengths, batch_first=True, enforce_sorted=False)
        _, h = self.gru(packed)
        return self.out(h[-1])


EPOCHS = 7
model = LangID()
opt = torch.optim.Adam(model.parameters(), lr=4e-3)
sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, T_max=EPOCHS)
loss_fn = nn.CrossEntropyLoss()


# %%
def evaluate(dl):
    model.eval()
    loss_sum, right, n = 0.0, 0, 0
    with torch.no_grad():
        for tokens, lengths, y in dl:
            logits = model(tokens, lengths)
            loss_sum += loss_fn(logits, y).item() * len(y)
            right += (logits.argmax(-1) == y).sum().item()
            n += len(y)
    return loss_sum / n, right / n


for epoch in range(EPOCHS):
    model.train()
    total, n = 0.0, 0
    for tokens, lengths, y in train_dl:
        loss = loss_fn(model(tokens, lengths), y)
        opt.zero_grad()
        loss.backward()
        opt.step()
        total += loss.item() * len(y)
        n += len(y)
    sched.step()
    vl, va = evaluate(valid_dl)
    print(f"epoch {epoch}: train {total / n:.3f}  valid {vl:.3f}  valid acc {va:.3f}")

# %%
print("test accuracy: %.3f" % evaluate(test_dl)[1])
