# Sentiment of short product reviews, bag of embeddings.
import random
from collections import Counter

import torch
from torch import nn
from torch.utils.data import DataLoader

random.seed(13)
torch.manual_seed(13)

GOOD = "great lovely sturdy excellent quick cheerful perfect reliable bright superb handy comfortable".split()
BAD = "awful flimsy broken slow dull terrible useless noisy ugly faulty disappointing cheap".split()
THINGS = "kettle lamp chair phone bag jacket radio keyboard tent bicycle watch blender".split()
PARTS = "handle cover button colour strap battery box manual screen zip".split()
FILL = ("i bought this for my sister", "delivery took three days", "it came in a box", "used it all week",
        "my second one already", "for the price", "from the same shop", "as a birthday gift")


def review(label):
    own, other = (GOOD, BAD) if label == 1 else (BAD, GOOD)
    words = ["the", random.choice(THINGS), "is", random.choice(own if random.random() < 0.9 else other)]
    words += random.choice(FILL).split()
    for _ in range(random.randint(2, 4)):
        opinion = own if random.random() < 0.75 else other
        words += ["the", random.choice(PARTS), "is", random.choice(opinion)]
    if random.random() < 0.5:
        words += random.choice(FILL).split()
    return " ".join(words)


labels = [i % 2 for i in range(4000)]
texts = [review(l) for l in labels]
pairs = list(dict.fromkeys(zip(texts, labels)))     # no review twice
random.shuffle(pairs)
n_test = len(pairs) // 5
test_data, val_data, train_data = pairs[:n_test], pairs[n_test:2 * n_test], pairs[2 * n_test:]
print(len(train_data), "train /", len(val_data), "val /", len(test_data), "test reviews")

counter = Counter(w for text, _ in train_data for w in text.split())
vocab = {"<unk>": 0}
for w, c in counter.most_common():
    vocab[w] = len(vocab)


def collate_batch(batch):
    ids, offsets, targets = [], [], []
    for text, label in batch:
        offsets.append(len(ids))
        ids.extend(vocab.get(w, 0) for w in text.split())
        targets.append(label)
    return torch.tensor(ids), torch.tensor(offsets), torch.tensor(targets)


class TextClassifier(nn.Module):
    def __init__(self, vocab_size, embed_dim=32, num_class=2):
        super().__init__()
        self.embedding = nn.EmbeddingBag(vocab_size, embed_dim, mode="mean")
        self.fc = nn.Linear(embed_dim, num_class)

    def forward(self, ids, offsets):
        return self.fc(self.embedding(ids, offsets))


train_loader = DataLoader(train_data, batch_size=32, shuffle=True, collate_fn=collate_batch)
val_loader = DataLoader(val_data, batch_size=128, collate_fn=collate_batch)
test_loader = DataLoader(test_data, batch_size=128, collate_fn=collate_batch)

model = TextClassifier(len(vocab))
criterion = nn.CrossEntropyLoss()
optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)


def train():
    model.train()
    total_loss, total = 0.0, 0
    for ids, offsets, y in train_loader:
        optimizer.zero_grad()
        loss = criterion(model(ids, offsets), y)
        loss.backward()
        optimizer.step()
        total_loss += loss.item() * y.size(0)
        total += y.size(0)
    return total_loss / total


def evaluate(loader):
    model.eval()
    total_loss, correct, total = 0.0, 0, 0
    with torch.no_grad():
        for ids, offsets, y in loader:
            out = model(ids, offsets)
            total_loss += criterion(out, y).item() * y.size(0)
            correct += (out.argmax(1) == y).sum().item()
            total += y.size(0)
    return total_loss / total, correct / total


for epoch in range(1, 11):
    train_loss = train()
    val_loss, val_acc = evaluate(val_loader)
    print(f"epoch {epoch} | train loss {train_loss:.4f} | val loss {val_loss:.4f} | val acc {val_acc:.3f}")

test_loss, test_acc = evaluate(test_loader)
print(f"test loss {test_loss:.4f} | test acc {test_acc:.3f}")
