# Sentiment of short restaurant reviews with a GRU
import random
import torch
import torch.nn as nn
from torch.nn.utils.rnn import pad_sequence
from torch.utils.data import DataLoader

random.seed(11)
torch.manual_seed(11)

good = "great tasty lovely friendly delicious fresh perfect cozy amazing wonderful".split()
bad = "awful cold rude bland terrible dirty slow stale horrible disappointing".split()
things = "food service pasta pizza soup waiter staff place dessert coffee table wine".split()
filler = "the a very really was is and we our had with there today again so quite".split()


def make_review():
    label = random.randint(0, 1)
    main, other = (good, bad) if label else (bad, good)
    words = []
    for _ in range(random.randint(2, 4)):
        words += [random.choice(filler), random.choice(things), "was", random.choice(main)]
    if random.random() < 0.3:
        words += ["but", random.choice(things), random.choice(other)]
    for _ in range(random.randint(0, 4)):
        words.insert(random.randrange(len(words)), random.choice(filler))
    return words, label


seen = set()
reviews = []
while len(reviews) < 2000:
    w, l = make_review()
    if " ".join(w) not in seen:
        seen.add(" ".join(w))
        reviews.append((w, l))
train, test = reviews[:1600], reviews[1600:]

vocab = {"<pad>": 0, "<unk>": 1}
for words, _ in train:
    for w in words:
        vocab.setdefault(w, len(vocab))


def collate(batch):
    ids = [torch.tensor([vocab.get(w, 1) for w in words]) for words, _ in batch]
    lengths = torch.tensor([len(i) for i in ids])
    labels = torch.tensor([l for _, l in batch])
    return pad_sequence(ids, batch_first=True), lengths, labels


train_loader = DataLoader(train, batch_size=32, shuffle=True, collate_fn=collate)
test_loader = DataLoader(test, batch_size=100, collate_fn=collate)


class SentimentGRU(nn.Module):
    def __init__(self, vocab_size, emb=24, hidden=32):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, emb, padding_idx=0)
        self.gru = nn.GRU(emb, hidden, batch_first=True)
        self.fc = nn.Linear(hidden, 2)

    def forward(self, x, lengths):
        out, _ = self.gru(self.embedding(x))
        last = out[torch.arange(len(x)), lengths - 1]
        return self.fc(last)


model = SentimentGRU(len(vocab))
criterion = nn.CrossEntropyLoss()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-6)

for epoch in range(15):
    model.train()
    total_loss, seen_n = 0.0, 0
    for x, lengths, labels in train_loader:
        optimizer.zero_grad()
        loss = criterion(model(x, lengths), labels)
        loss.backward()
        optimizer.step()
        total_loss += loss.item() * len(labels)
        seen_n += len(labels)
    print("epoch", epoch + 1, "train loss", round(total_loss / seen_n, 4))

model.eval()
hits, n = 0, 0
with torch.no_grad():
    for x, lengths, labels in test_loader:
        hits += (model(x, lengths).argmax(1) == labels).sum().item()
        n += len(labels)
print("test accuracy", hits / n)
