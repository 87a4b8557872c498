"""Sentiment of short generated reviews (with negation) using an embedding + bidirectional GRU."""
import logging
import random
from collections import Counter

import torch
from torch import nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_sequence
from torch.utils.data import DataLoader

logging.basicConfig(format="%(asctime)s %(message)s", datefmt="%H:%M:%S", level=logging.INFO)
log = logging.getLogger(__name__)

GOOD = "great lovely superb charming brilliant solid warm clever".split()
BAD = "dull awful clumsy boring weak messy cold silly".split()
NOUNS = "plot acting music script cast ending camera pacing dialogue scene".split()
FILL = "really the a very quite it felt and with some rather honestly".split()


def review(rng):
    label = rng.randint(0, 1)
    words = []
    for _ in range(rng.randint(2, 4)):
        negated = rng.random() < 0.35
        positive = bool(label) if rng.random() < 0.95 else not label
        adjective = rng.choice(GOOD if positive != negated else BAD)
        words += rng.sample(FILL, rng.randint(0, 3)) + ["the", rng.choice(NOUNS), "was"]
        words += ["not"] if negated else []
        words.append(adjective)
    return words, label


class Vocab:
    def __init__(self, texts, min_count=2):
        counts = Counter(w for t in texts for w in t)
        self.index = {"<pad>": 0, "<unk>": 1}
        for word, c in sorted(counts.items()):
            if c >= min_count:
                self.index[word] = len(self.index)

    def encode(self, words):
        return torch.tensor([self.index.get(w, 1) for w in words])

    def __len__(self):
        return len(self.index)


class SentimentGRU(nn.Module):
    def __init__(self, vocab_size, dim=32, hidden=32):
        super().__init__()
        self.emb = nn.Embedding(vocab_size, dim, padding_idx=0)
        self.rnn = nn.GRU(dim, hidden, batch_first=True, bidirectional=True)
        self.drop = nn.Dropout(0.2)
        self.out = nn.Linear(2 * hidden, 2)

    def forward(self, tokens, lengths):
        packed = pack_padded_sequence(self.emb(tokens), lengths, batch_first=True, enforce_sorted=False)
        _, h = self.rnn(packed)
        return self.out(self.drop(torch.cat([h[0], h[1]], dim=1)))


def collate(rows):
    tokens, labels = zip(*rows)
    lengths = torch.tensor([len(t) for t in tokens])
    return pad_sequence(tokens, batch_first=True), lengths, torch.tensor(labels)


def accuracy(model, loader):
    model.eval()
    right = 0
    with torch.no_grad():
        for tokens, lengths, y in loader:
            right += (model(tokens, lengths).argmax(1) == y).sum().item()
    return right / len(loader.dataset)


def main():
    torch.manual_seed(1)
    rng = random.Random(1)
    seen, rows = set(), []
    while len(rows) < 3200:
        words, label = review(rng)
        if tuple(words) not in seen:
            seen.add(tuple(words))
            rows.append((words, label))
    train, val, test = rows[:2200], rows[2200:2600], rows[2600:]
    vocab = Vocab([w for w, _ in train])
    train_dl, val_dl, test_dl = (
        DataLoader([(vocab.encode(w), y) for w, y in part], batch_size=32, shuffle=part is train,
                   collate_fn=collate) for part in (train, val, test))
    model = SentimentGRU(len(vocab))
    opt = torch.optim.Adam(model.parameters(), lr=2e-3)
    loss_fn = nn.CrossEntropyLoss()
    for epoch in range(8):
        model.train()
        total = 0.0
        for tokens, lengths, y in train_dl:
            opt.zero_grad()
            loss = loss_fn(model(tokens, lengths), y)
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), 5.0)
            opt.step()
            total += loss.item() * len(y)
        log.info("epoch %d loss %.4f val acc %.3f", epoch, total / len(train), accuracy(model, val_dl))
    log.info("test accuracy %.3f", accuracy(model, test_dl))


if __name__ == "__main__":
    main()
