# Topic classification of short synthetic messages with a one-block transformer
import random
import resource
import time

import numpy as np
import torch
from torch import nn
from torch.nn.utils.rnn import pad_sequence
from torch.utils.data import DataLoader

random.seed(13)
np.random.seed(13)
torch.manual_seed(13)

TOPICS = ["sport", "money", "garden", "travel"]
PER_TOPIC = 40
COMMON = [f"w{i}" for i in range(120)]
WORDS = {t: [f"{t}{i}" for i in range(PER_TOPIC)] for t in TOPICS}
VOCAB = {w: i + 1 for i, w in enumerate(COMMON + [w for t in TOPICS for w in WORDS[t]])}


def write_message(topic):
    words = []
    for _ in range(random.randint(12, 36)):
        r = random.random()
        if r < 0.66:
            words.append(random.choice(COMMON))
        elif r < 0.92:
            words.append(random.choice(WORDS[topic]))
        else:
            words.append(random.choice(WORDS[random.choice(TOPICS)]))
    return words


def corpus(n):
    items = []
    for i in range(n):
        label = i % len(TOPICS)
        ids = torch.tensor([VOCAB[w] for w in write_message(TOPICS[label])])
        items.append((ids, label))
    random.shuffle(items)
    return items


def collate(items):
    ids, labels = zip(*items)
    return pad_sequence(ids, batch_first=True), torch.tensor(labels)


class TextNet(nn.Module):
    def __init__(self, vocab, dim=32, classes=4):
        super().__init__()
        self.emb = nn.Embedding(vocab + 1, dim, padding_idx=0)
        self.block = nn.TransformerEncoderLayer(dim, 4, dim_feedforward=64, dropout=0.2, batch_first=True)
        self.norm = nn.LayerNorm(dim)
        self.out = nn.Linear(dim, classes)

    def forward(self, ids):
        pad = ids == 0
        h = self.block(self.emb(ids), src_key_padding_mask=pad)
        keep = (~pad).unsqueeze(-1).float()
        pooled = (h * keep).sum(1) / keep.sum(1)
        return self.out(self.norm(pooled))


def evaluate(model, loader, criterion):
    model.eval()
    logits, labels = [], []
    for ids, y in loader:
        logits.append(model(ids))
        labels.append(y)
    logits, labels = torch.cat(logits), torch.cat(labels)
    loss = criterion(logits, labels).item()
    accuracy = (logits.argmax(1) == labels).float().mean().item()
    return loss, accuracy


train_dl = DataLoader(corpus(2800), batch_size=64, shuffle=True, collate_fn=collate)
val_dl = DataLoader(corpus(1600), batch_size=64, collate_fn=collate)
test_dl = DataLoader(corpus(1600), batch_size=64, collate_fn=collate)

model = TextNet(len(VOCAB))
criterion = nn.CrossEntropyLoss()
optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3, weight_decay=0.05)

for epoch in range(5):
    model.train()
    total, count = 0.0, 0
    for ids, y in train_dl:
        optimizer.zero_grad()
        loss = criterion(model(ids), y)
        loss.backward()
        optimizer.step()
        total += loss.item() * len(y)
        count += len(y)
    t0 = time.perf_counter()
    val_loss, val_acc = evaluate(model, val_dl, criterion)
    took = time.perf_counter() - t0
    print(f"epoch {epoch + 1}  train {total / count:.4f}  val {val_loss:.4f}  acc {val_acc:.3f}  (eval {took:.2f}s)")

_, test_acc = evaluate(model, test_dl, criterion)
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
print(f"test accuracy {test_acc:.3f}, peak memory {peak:.0f} MiB")
