# %% [markdown]
# ## Toy sentiment
# %%
import random
import torch
import torch.nn as nn
import torch.nn.functional as F

random.seed(11); torch.manual_seed(11)

# %%
good = "great lovely superb fun charming bright moving honest".split()
bad = "dull awful boring weak messy flat lazy hollow".split()
neutral = "the film plot actor scene script was is a very quite music and camera".split()

def sentence():
    label = random.randint(0, 1)
    n = random.randint(5, 14)
    words = [random.choice(neutral) for _ in range(n)]
    for _ in range(3):
        pool = good if (random.random() < 0.85) == (label == 1) else bad
        words[random.randrange(n)] = random.choice(pool)
    words[0] = words[0].capitalize()
    return " ".join(words) + ".", label

corpus = [sentence() for _ in range(2400)]

# %%
PAD, UNK = 0, 1
vocab = {w: i + 2 for i, w in enumerate(good + bad + neutral)}

def encode(text, length=16):
    tokens = text.rstrip(".").lower()
    ids = [vocab.get(tok, UNK) for tok in tokens]
    ids = ids[:length] + [PAD] * (length - len(ids))
    return ids

# %%
ids = torch.tensor([encode(s) for s, _ in corpus])
lab = torch.tensor([l for _, l in corpus])
n_train = 2000

class Bag(nn.Module):
    def __init__(self, n, d=16):
        super().__init__()
        self.emb = nn.Embedding(n, d, padding_idx=PAD)
        self.out = nn.Linear(d, 2)
    def forward(self, x):
        mask = (x != PAD).float().unsqueeze(-1)
        return self.out((self.emb(x) * mask).sum(1) / mask.sum(1).clamp(min=1))

model = Bag(len(vocab) + 2)
opt = torch.optim.Adam(model.parameters(), lr=1e-2)

# %%
for epoch in range(8):
    order = torch.randperm(n_train)
    tot = 0
    for chunk in order.split(50):
        loss = F.cross_entropy(model(ids[chunk]), lab[chunk])
        opt.zero_grad(); loss.backward(); opt.step()
        tot += loss.item()
    print(epoch, tot / (n_train / 50))

# %%
model.eval()
with torch.no_grad():
    acc = (model(ids[n_train:]).argmax(-1) == lab[n_train:]).float().mean()
print("held-out accuracy = %.3f" % acc)
