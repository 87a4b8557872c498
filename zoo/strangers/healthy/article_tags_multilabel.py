# Multi-label tagging of articles (bag of words), rare tags included.
# Small micro-batches, gradients accumulated over four of them; thresholds chosen on the validation part.
import numpy as np
import torch
import torch.nn.functional as F
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.metrics import average_precision_score, f1_score
from torch import nn
from tqdm import trange

TAGS = ["politics", "sport", "science", "music", "food", "chess"]
RATE = np.array([0.35, 0.30, 0.25, 0.20, 0.12, 0.06])


def write_corpus(n, seed):
    rng = np.random.default_rng(seed)
    common = [f"w{i}" for i in range(150)]
    texts, tags = [], []
    for _ in range(n):
        on = rng.random(len(TAGS)) < RATE
        words = list(rng.choice(common, size=rng.integers(25, 45)))
        for k in np.flatnonzero(on):
            words += [f"{TAGS[k]}{j}" for j in rng.integers(0, 14, size=rng.integers(1, 5))]
        stray = rng.integers(0, len(TAGS), size=2)
        words += [f"{TAGS[k]}{rng.integers(0, 14)}" for k in stray if rng.random() < 0.35]
        rng.shuffle(words)
        texts.append(" ".join(words))
        tags.append(on)
    return texts, np.array(tags, dtype=np.float32)


torch.manual_seed(31)
train_txt, y_train = write_corpus(3000, 100)
val_txt, y_val = write_corpus(800, 101)
test_txt, y_test = write_corpus(1200, 102)

vec = TfidfVectorizer(min_df=3, sublinear_tf=True)
to_tensor = lambda m: torch.from_numpy(m.toarray()).float() * 5.0
x_train, x_val, x_test = to_tensor(vec.fit_transform(train_txt)), to_tensor(vec.transform(val_txt)), to_tensor(vec.transform(test_txt))
y_train_t, y_val_t = torch.from_numpy(y_train), torch.from_numpy(y_val)

positives = y_train_t.sum(0)
pos_weight = ((len(y_train_t) - positives) / positives).sqrt()

net = nn.Sequential(nn.Dropout(0.2), nn.Linear(x_train.shape[1], 64), nn.ReLU(), nn.Dropout(0.3), nn.Linear(64, len(TAGS)))
with torch.no_grad():
    net[-1].bias.copy_(torch.logit(positives / len(y_train_t)))
opt = torch.optim.AdamW(net.parameters(), lr=2e-3, weight_decay=5e-2)

MICRO, ACCUM, EPOCHS = 10, 4, 10
assert len(x_train) % (MICRO * ACCUM) == 0
for epoch in trange(EPOCHS, desc="epochs", ncols=70):
    net.train()
    running = 0.0
    opt.zero_grad()
    for i, idx in enumerate(torch.randperm(len(x_train)).split(MICRO), start=1):
        loss = F.binary_cross_entropy_with_logits(net(x_train[idx]), y_train_t[idx], pos_weight=pos_weight)
        (loss / ACCUM).backward()
        running += loss.item() * len(idx)
        if i % ACCUM == 0:
            opt.step()
            opt.zero_grad()
    net.eval()
    with torch.no_grad():
        logits = net(x_val)
        val_loss = F.binary_cross_entropy_with_logits(logits, y_val_t, pos_weight=pos_weight).item()
    ap = average_precision_score(y_val, torch.sigmoid(logits).numpy(), average="macro")
    print(f"  epoch {epoch} train {running / len(x_train):.4f} val {val_loss:.4f} val mAP {ap:.3f}")

net.eval()
with torch.no_grad():
    p_val, p_test = torch.sigmoid(net(x_val)).numpy(), torch.sigmoid(net(x_test)).numpy()
grid = np.linspace(0.1, 0.9, 33)
thresholds = np.array([grid[np.argmax([f1_score(y_val[:, k], p_val[:, k] > g) for g in grid])] for k in range(len(TAGS))])
guess = p_test > thresholds
for k, tag in enumerate(TAGS):
    print(f"{tag:9s} rate {y_test[:, k].mean():.3f} threshold {thresholds[k]:.2f} F1 {f1_score(y_test[:, k], guess[:, k]):.3f}")
print(f"test macro F1 {f1_score(y_test, guess, average='macro'):.3f}  "
      f"mAP {average_precision_score(y_test, p_test, average='macro'):.3f}")
