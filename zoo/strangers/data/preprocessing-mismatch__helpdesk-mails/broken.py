"""Route help-desk mails to the right team with a bag-of-embeddings classifier."""
import random
import re
from collections import Counter

import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset

random.seed(11)
torch.manual_seed(11)

TEAMS = ["network", "accounts", "printing", "hardware"]
WORDS = {
    "network": "wifi vpn router cable internet proxy dns offline slow connection".split(),
    "accounts": "password login locked username reset expired token permission access signin".split(),
    "printing": "printer toner paper jam scanner tray duplex queue copies ink".split(),
    "hardware": "laptop screen keyboard battery mouse charger dock fan broken monitor".split(),
}
COMMON = "the my is since yesterday please help again today cannot need with office and it still".split()
GREETINGS = ["Hello,", "Hi team,", "Dear IT,", "", "Good morning!"]


def write_mail(team):
    words = []
    for _ in range(random.randint(6, 12)):
        roll = random.random()
        if roll < 0.28:
            words.append(random.choice(WORDS[team]))
        elif roll < 0.38:
            words.append(random.choice(WORDS[random.choice(TEAMS)]))
        else:
            words.append(random.choice(COMMON))
    out = []
    for i, w in enumerate(words):
        style = random.random()
        if i == 0 or style < 0.25:
            w = w.capitalize()
        elif style < 0.4:
            w = w.upper()
        if random.random() < 0.3:
            w += random.choice([",", "!", "?", ".", "..."])
        out.append(w)
    return (random.choice(GREETINGS) + " " + " ".join(out)).strip()


def clean(text):
    text = text.lower()
    return re.sub(r"[^a-z ]+", " ", text)


class Vocab:
    def __init__(self, texts, min_count=2):
        counts = Counter(w for t in texts for w in t.split())
        self.index = {"<unk>": 0}
        for w, c in counts.most_common():
            if c >= min_count:
                self.index[w] = len(self.index)

    def encode(self, text):
        return [self.index.get(w, 0) for w in text.split()] or [0]

    def __len__(self):
        return len(self.index)


class MailDataset(Dataset):
    def __init__(self, texts, labels, vocab):
        self.samples = [(torch.tensor(vocab.encode(t)), y) for t, y in zip(texts, labels)]

    def __len__(self):
        return len(self.samples)

    def __getitem__(self, i):
        return self.samples[i]


def collate(batch):
    ids = torch.cat([b[0] for b in batch])
    lengths = torch.tensor([0] + [len(b[0]) for b in batch[:-1]])
    return ids, lengths.cumsum(0), torch.tensor([b[1] for b in batch])


class Router(nn.Module):
    def __init__(self, vocab_size, dim=32):
        super().__init__()
        self.emb = nn.EmbeddingBag(vocab_size, dim, mode="mean")
        self.out = nn.Linear(dim, len(TEAMS))

    def forward(self, ids, offsets):
        return self.out(self.emb(ids, offsets))


labels = [i % len(TEAMS) for i in range(3600)]
random.shuffle(labels)
mails = [write_mail(TEAMS[y]) for y in labels]
train_mails, train_y = mails[:2800], labels[:2800]
test_mails, test_y = mails[2800:], labels[2800:]

train_texts = [clean(m) for m in train_mails]
vocab = Vocab(train_texts)
print("vocabulary:", len(vocab), "words")

train_dl = DataLoader(MailDataset(train_texts, train_y, vocab), batch_size=64, shuffle=True, collate_fn=collate)
test_dl = DataLoader(MailDataset(test_mails, test_y, vocab), batch_size=256, collate_fn=collate)

model = Router(len(vocab))
optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
criterion = nn.CrossEntropyLoss()

for epoch in range(1, 13):
    model.train()
    total = 0.0
    for ids, offsets, y in train_dl:
        optimizer.zero_grad()
        loss = criterion(model(ids, offsets), y)
        loss.backward()
        optimizer.step()
        total += loss.item() * len(y)
    print(f"epoch {epoch:2d}: loss {total / len(train_y):.4f}")

model.eval()
hits = 0
with torch.no_grad():
    for ids, offsets, y in test_dl:
        hits += (model(ids, offsets).argmax(1) == y).sum().item()
print(f"test accuracy: {hits / len(test_y):.3f} on {len(test_y)} mails")
