"""
Tagging questions with several topics at once.
EmbeddingBag (no padding, just offsets) + BCE with pos_weight, thresholds chosen on the validation set.
"""
import numpy as np
import torch
import torch.nn as nn
from sklearn.metrics import f1_score, roc_auc_score
from torch.utils.data import DataLoader

np.random.seed(17)
torch.manual_seed(17)

TAGS = ["python", "sql", "css", "regex", "docker", "git", "pandas", "threads"]
TAG_RATE = np.array([0.35, 0.25, 0.22, 0.15, 0.18, 0.20, 0.14, 0.12])
VOCAB, KEYWORDS = 600, 18


# ---- a synthetic forum -------------------------------------------------------------------
def make_questions(n):
    # every tag owns a few keywords (some shared with a neighbour), the rest of a question is small talk
    keyword = np.arange(len(TAGS) * KEYWORDS).reshape(len(TAGS), KEYWORDS)
    keyword[6, :6] = keyword[0, :6]                     # pandas questions sound like python ones
    talk = np.arange(keyword.max() + 1, VOCAB)
    zipf = 1 / np.arange(1, len(talk) + 1)
    zipf /= zipf.sum()
    texts, labels = [], []
    for _ in range(n):
        y = (np.random.rand(len(TAGS)) < TAG_RATE).astype(np.float32)
        words = list(np.random.choice(talk, size=np.random.randint(6, 20), p=zipf))
        for t in np.flatnonzero(y):
            words += list(np.random.choice(keyword[t], size=np.random.randint(1, 4)))
        words += list(np.random.choice(keyword.ravel(), size=np.random.poisson(0.5)))      # off-topic mention
        texts.append(np.random.permutation(words))
        labels.append(y)
    return texts, np.stack(labels)


texts, labels = make_questions(9000)
part = {"train": slice(0, 6000), "val": slice(6000, 7500), "test": slice(7500, 9000)}


def collate(rows):
    flat = torch.from_numpy(np.concatenate([r[0] for r in rows]))
    sizes = torch.tensor([0] + [len(r[0]) for r in rows[:-1]])
    return flat, sizes.cumsum(0), torch.from_numpy(np.stack([r[1] for r in rows]))


def loader(name, **kw):
    s = part[name]
    return DataLoader(list(zip(texts[s], labels[s])), collate_fn=collate, **kw)


train_loader = loader("train", batch_size=64, shuffle=True)
val_loader, test_loader = loader("val", batch_size=500), loader("test", batch_size=500)


class Tagger(nn.Module):
    def __init__(self, dim=32):
        super().__init__()
        self.bag = nn.EmbeddingBag(VOCAB, dim, mode="mean")
        self.norm = nn.LayerNorm(dim)
        self.head = nn.Sequential(nn.Dropout(0.2), nn.Linear(dim, 32), nn.ReLU(), nn.Linear(32, len(TAGS)))

    def forward(self, flat, offsets):
        return self.head(self.norm(self.bag(flat, offsets)))


positives = labels[part["train"]].sum(0)
pos_weight = torch.tensor(np.sqrt((6000 - positives) / positives), dtype=torch.float32)   # softened
print("pos_weight:", dict(zip(TAGS, pos_weight.numpy().round(2).tolist())))

model = Tagger()
loss_fn = nn.BCEWithLogitsLoss(pos_weight=pos_weight)
optimizer = torch.optim.Adam(model.parameters(), lr=6e-3)
EPOCHS = 11
scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=EPOCHS, eta_min=3e-4)


def run(dl):
    model.eval()
    logits, ys = [], []
    with torch.no_grad():
        for flat, offsets, y in dl:
            logits.append(model(flat, offsets))
            ys.append(y)
    logits, ys = torch.cat(logits), torch.cat(ys)
    return loss_fn(logits, ys).item(), torch.sigmoid(logits).numpy(), ys.numpy()


for epoch in range(EPOCHS):
    model.train()
    total = 0.0
    for flat, offsets, y in train_loader:
        optimizer.zero_grad()
        loss = loss_fn(model(flat, offsets), y)
        loss.backward()
        optimizer.step()
        total += loss.item() * len(y)
    scheduler.step()
    val_loss, prob, true = run(val_loader)
    print(f"epoch {epoch + 1:2d}/{EPOCHS}  loss {total / 6000:.4f}  val_loss {val_loss:.4f}  "
          f"val_auc {roc_auc_score(true, prob, average='macro'):.4f}")

# one threshold per tag, from validation only
grid = np.linspace(0.1, 0.9, 33)
_, prob, true = run(val_loader)
cut = np.array([grid[np.argmax([f1_score(true[:, t], prob[:, t] > c) for c in grid])] for t in range(len(TAGS))])

test_loss, prob, true = run(test_loader)
pred = prob > cut
print(f"\ntest  loss {test_loss:.4f}  macro-AUC {roc_auc_score(true, prob):.4f}  "
      f"micro-F1 {f1_score(true, pred, average='micro'):.4f}  macro-F1 {f1_score(true, pred, average='macro'):.4f}")
for t, name in enumerate(TAGS):
    print(f"  {name:8s} threshold {cut[t]:.3f}  F1 {f1_score(true[:, t], pred[:, t]):.3f}")
