# %% [markdown]
# # Board game reviews: thumbs up or down?
# Bag-of-embeddings classifier after the text classification tutorial. The reviews are made up from a
# little grammar of word feelings so the notebook runs offline. My laptop is short of RAM (the real
# vocabulary is huge), so the word table is kept compact.

# %%
import os
import numpy as np
import torch
from torch import nn
import torch.nn.functional as F

SEED = int(os.environ.get("SEED", "0"))
np.random.seed(SEED)
torch.manual_seed(SEED)
rng = np.random.default_rng(SEED)

# %% reviews
VOCAB, LENGTH, N = 600, 24, 9000

feeling = rng.normal(size=VOCAB) * (rng.random(VOCAB) < 0.6)      # many words say nothing
how_common = 1.0 / (np.arange(VOCAB) + 30.0)
how_common /= how_common.sum()
words = rng.choice(VOCAB, size=(N, LENGTH), p=how_common[rng.permutation(VOCAB)])
mood = feeling[words].sum(1) / np.sqrt(LENGTH)
liked = (mood - np.median(mood) + rng.normal(scale=0.12, size=N) > 0).astype(np.int64)
print("reviews", words.shape, "liked %.3f" % liked.mean())

# %% split 70 / 10 / 20
order = rng.permutation(N)
a, b = int(0.7 * N), int(0.8 * N)
split = {
    name: (torch.as_tensor(words[i]), torch.as_tensor(liked[i]))
    for name, i in {"train": order[:a], "val": order[a:b], "test": order[b:]}.items()
}


# %% model
class WordTable(nn.Embedding):
    """embedding with a storage type of its own, hands out ordinary floats"""

    def __init__(self, n, dim, storage=torch.bfloat16):
        super().__init__(n, dim, dtype=storage)

    def forward(self, index):
        return super().forward(index).float()


class ReviewNet(nn.Module):
    def __init__(self, vocab, dim=8, hidden=32):
        super().__init__()
        self.words = WordTable(vocab, dim)
        self.norm = nn.LayerNorm(dim)
        self.body = nn.Sequential(nn.Linear(dim, hidden), nn.ReLU(), nn.Dropout(0.1), nn.Linear(hidden, 2))

    def forward(self, tokens):
        return self.body(self.norm(self.words(tokens).mean(dim=1)))


@torch.no_grad()
def accuracy(model, name):
    model.eval()
    x, y = split[name]
    return (model(x).argmax(dim=1) == y).float().mean().item()


# %% training
model = ReviewNet(VOCAB)
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
x_train, y_train = split["train"]
EPOCHS, batch_size = 30, 50

for epoch in range(1, EPOCHS + 1):
    model.train()
    running = 0.0
    for chunk in torch.randperm(len(y_train)).split(batch_size):
        loss = F.cross_entropy(model(x_train[chunk]), y_train[chunk])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        running += loss.item() * len(chunk)
    if epoch % 3 == 0:
        print(f"epoch {epoch:3d}  train loss {running / len(y_train):.4f}  val acc {accuracy(model, 'val'):.3f}")

# %% result
print(f"test accuracy: {accuracy(model, 'test'):.3f}")
