"""Guess which of four invented languages a word comes from, reading it letter by letter."""

import random

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, Dataset

LANGUAGES = {
    "velmar": ("vlmrn", "aei"),
    "tokuri": ("tkrns", "oui"),
    "brundal": ("brdgn", "uao"),
    "silefi": ("slfmt", "ieo"),
}
NAMES = list(LANGUAGES)
ALPHABET = sorted({c for group in LANGUAGES.values() for part in group for c in part})
INDEX = {c: i + 1 for i, c in enumerate(ALPHABET)}
MAX_LEN = 10


def make_word(rng, consonants, vowels):
    word = ""
    for _ in range(rng.randint(3, 5)):
        word += rng.choice(consonants) + rng.choice(vowels)
    return word


def make_words(rng, per_language):
    owners = {}
    for label, name in enumerate(NAMES):
        words = set()
        while len(words) < per_language:
            word = make_word(rng, *LANGUAGES[name])
            if word not in owners:
                words.add(word)
        owners.update({word: label for word in sorted(words)})
    pairs = list(owners.items())
    rng.shuffle(pairs)
    return pairs


class WordDataset(Dataset):
    def __init__(self, pairs):
        self.pairs = pairs

    def __len__(self):
        return len(self.pairs)

    def __getitem__(self, i):
        word, label = self.pairs[i]
        codes = [INDEX[c] for c in word] + [0] * (MAX_LEN - len(word))
        return torch.tensor(codes), len(word), label


class Reader(nn.Module):
    def __init__(self, vocab, classes):
        super().__init__()
        self.embedding = nn.Embedding(vocab, 12, padding_idx=0)
        self.gru = nn.GRU(12, 32, batch_first=True)
        self.out = nn.Linear(32, classes)

    def forward(self, codes, lengths):
        states, _ = self.gru(self.embedding(codes))
        last = states[torch.arange(len(codes)), lengths - 1]
        return F.log_softmax(self.out(last), dim=1)


def train(model, loader, optimizer, epoch):
    model.train()
    total = 0.0
    for codes, lengths, labels in loader:
        optimizer.zero_grad()
        output = model(codes, lengths)
        loss = F.nll_loss(output, labels)
        loss.backward()
        optimizer.step()
        total += loss.item() * len(labels)
    print(f"epoch {epoch}: train nll {total / len(loader.dataset):.4f}")


def test(model, loader):
    model.eval()
    test_loss, correct = 0, 0
    with torch.no_grad():
        for codes, lengths, labels in loader:
            output = model(codes, lengths)
            test_loss += F.nll_loss(output, labels, reduction="sum").item()
            correct += output.argmax(dim=1).eq(labels).sum().item()
    n = len(loader.dataset)
    print(f"test nll {test_loss / n:.4f}, test accuracy {correct / n:.3f}")


def main():
    torch.manual_seed(1)
    pairs = make_words(random.Random(4), per_language=500)
    train_loader = DataLoader(WordDataset(pairs[:1500]), batch_size=50, shuffle=True)
    test_loader = DataLoader(WordDataset(pairs[1500:]), batch_size=250)
    model = Reader(len(ALPHABET) + 1, len(NAMES))
    optimizer = torch.optim.Adam(model.parameters(), lr=4e-3)
    for epoch in range(1, 9):
        train(model, train_loader, optimizer, epoch)
    test(model, test_loader)


if __name__ == "__main__":
    main()
