"""Character CNN that guesses which (made-up) language a word comes from."""
import argparse

import numpy as np
import torch
import torch.nn as nn
from torch.utils.data import DataLoader, Dataset

ALPHABET = "abcdefghijklmnopqrstuvwxyz"
LANGS = ["veltan", "omiri", "kastrog", "quenya-ish", "brundish"]
MAXLEN = 14


def make_language(rng):
    """Random letter bigram table: each language has its own habits."""
    start = rng.dirichlet(np.full(26, 0.25))
    table = rng.dirichlet(np.full(26, 0.28), size=26)
    return start, 0.62 * table + 0.38 / 26


def make_word(lang, rng):
    start, table = lang
    letters = [rng.choice(26, p=start)]
    for _ in range(rng.integers(5, MAXLEN)):
        letters.append(rng.choice(26, p=table[letters[-1]]))
    return "".join(ALPHABET[k] for k in letters)


class Words(Dataset):
    def __init__(self, words, labels):
        self.words = words
        self.labels = labels

    def __len__(self):
        return len(self.words)

    def __getitem__(self, k):
        return self.words[k], self.labels[k]


def collate(items):
    out = torch.zeros(len(items), MAXLEN, dtype=torch.long)
    for row, (w, _) in enumerate(items):
        for col, ch in enumerate(w):
            out[row, col] = ALPHABET.index(ch) + 1
    return out, torch.tensor([y for _, y in items])


class CharCNN(nn.Module):
    def __init__(self, n_classes, emb=16, channels=48):
        super().__init__()
        self.emb = nn.Embedding(len(ALPHABET) + 1, emb, padding_idx=0)
        self.conv2 = nn.Conv1d(emb, channels, 2)
        self.conv3 = nn.Conv1d(emb, channels, 3)
        self.drop = nn.Dropout(0.2)
        self.out = nn.Linear(2 * channels, n_classes)

    def forward(self, x):
        e = self.emb(x).transpose(1, 2)
        a = torch.relu(self.conv2(e)).mean(2)
        b = torch.relu(self.conv3(e)).amax(2)
        return self.out(self.drop(torch.cat([a, b], 1)))


@torch.no_grad()
def accuracy(model, loader):
    model.eval()
    hit = n = 0
    for x, y in loader:
        hit += (model(x).argmax(1) == y).sum().item()
        n += len(y)
    return hit / n


def main(args):
    torch.manual_seed(args.seed)
    rng = np.random.default_rng(args.seed)
    languages = [make_language(rng) for _ in LANGS]

    seen, words, labels = set(), [], []
    while len(words) < args.n_words:
        k = int(rng.integers(len(LANGS)))
        w = make_word(languages[k], rng)
        if w not in seen:
            seen.add(w)
            words.append(w)
            labels.append(k)
    a, b = int(0.8 * len(words)), int(0.9 * len(words))
    train_loader = DataLoader(Words(words[:a], labels[:a]), args.batch_size, shuffle=True, collate_fn=collate)
    val_loader = DataLoader(Words(words[a:b], labels[a:b]), 256, collate_fn=collate)
    test_loader = DataLoader(Words(words[b:], labels[b:]), 256, collate_fn=collate)

    model = CharCNN(len(LANGS))
    criterion = nn.CrossEntropyLoss()
    optimizer = torch.optim.AdamW(model.parameters(), lr=args.max_lr, weight_decay=0.01)
    scheduler = torch.optim.lr_scheduler.OneCycleLR(
        optimizer, max_lr=args.max_lr, epochs=args.epochs, steps_per_epoch=len(train_loader)
    )

    for epoch in range(args.epochs):
        model.train()
        total = 0.0
        for x, y in train_loader:
            optimizer.zero_grad()
            loss = criterion(model(x), y)
            loss.backward()
            optimizer.step()
            total += loss.item() * len(y)
        scheduler.step()
        print(f"epoch {epoch:2d} loss {total / a:.4f} val acc {accuracy(model, val_loader):.3f} "
              f"lr {scheduler.get_last_lr()[0]:.2e}")

    print(f"test accuracy {accuracy(model, test_loader):.3f}")


if __name__ == "__main__":
    p = argparse.ArgumentParser()
    p.add_argument("--n-words", type=int, default=6000)
    p.add_argument("--batch-size", type=int, default=64)
    p.add_argument("--epochs", type=int, default=10)
    p.add_argument("--max-lr", type=float, default=6e-3)
    p.add_argument("--seed", type=int, default=5)
    main(p.parse_args())
