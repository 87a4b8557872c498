"""Which language does a (made-up) surname come from? Character GRU."""
import argparse
import random
import string

import torch
import torch.nn as nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_sequence

SYLLABLES = {
    "norse": ["thor", "sig", "ulf", "gard", "hal", "bjor", "run", "stein"],
    "latin": ["mar", "cel", "lus", "ti", "ber", "ius", "cor", "nel"],
    "nippon": ["ka", "wa", "mu", "ra", "shi", "to", "na", "ko"],
    "slavic": ["vlad", "mir", "ov", "stan", "is", "lav", "bor", "ko"],
}
LANGS = sorted(SYLLABLES)
ALPHABET = {c: i + 1 for i, c in enumerate(string.ascii_lowercase)}


def make_names(n, rng):
    seen = {}
    while len(seen) < n:
        lang = rng.choice(LANGS)
        name = "".join(rng.choice(SYLLABLES[lang]) for _ in range(rng.randint(2, 4)))
        chars = list(name)
        for i in range(len(chars)):
            if rng.random() < 0.12:
                chars[i] = rng.choice(string.ascii_lowercase)
        seen.setdefault("".join(chars), lang)
    return list(seen.items())


def collate(rows):
    seqs = [torch.tensor([ALPHABET[c] for c in name]) for name, _ in rows]
    lengths = torch.tensor([len(s) for s in seqs])
    labels = torch.tensor([LANGS.index(lang) for _, lang in rows])
    return pad_sequence(seqs, batch_first=True), lengths, labels


class CharGRU(nn.Module):
    def __init__(self, emb, hidden):
        super().__init__()
        self.emb = nn.Embedding(len(ALPHABET) + 1, emb, padding_idx=0)
        self.gru = nn.GRU(emb, hidden, batch_first=True, bidirectional=True)
        self.out = nn.Linear(2 * hidden, len(LANGS))

    def forward(self, x, lengths):
        packed = pack_padded_sequence(self.emb(x), lengths, batch_first=True, enforce_sorted=False)
        _, h = self.gru(packed)
        return self.out(torch.cat([h[0], h[1]], dim=1))


class Experiment:
    def __init__(self, args, train_rows, val_rows):
        self.args = args
        make = torch.utils.data.DataLoader
        self.train_loader = make(train_rows, batch_size=args.batch, shuffle=True, collate_fn=collate)
        self.val_loader = make(val_rows, batch_size=256, collate_fn=collate)
        self.loss_fn = nn.CrossEntropyLoss()

    def setup(self):
        self.model = CharGRU(self.args.emb, self.args.hidden)
        self.optim = torch.optim.Adam(self.model.parameters(), lr=self.args.lr)

    def train_one_epoch(self):
        self.model.train()
        losses = []
        for x, lengths, y in self.train_loader:
            self.optim.zero_grad()
            loss = self.loss_fn(self.model(x, lengths), y)
            loss.backward()
            self.optim.step()
            losses.append(loss.item())
        return sum(losses) / len(losses)

    @torch.no_grad()
    def validate(self):
        self.model.eval()
        right = total = 0
        for x, lengths, y in self.val_loader:
            right += (self.model(x, lengths).argmax(1) == y).sum().item()
            total += len(y)
        return right / total

    def fit(self):
        for epoch in range(self.args.epochs):
            self.setup()
            loss = self.train_one_epoch()
            acc = self.validate()
            print(f"epoch {epoch:2d}  loss {loss:.3f}  val acc {acc:.3f}")


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--names", type=int, default=2400)
    p.add_argument("--epochs", type=int, default=10)
    p.add_argument("--batch", type=int, default=60)
    p.add_argument("--emb", type=int, default=16)
    p.add_argument("--hidden", type=int, default=32)
    p.add_argument("--lr", type=float, default=2e-3)
    p.add_argument("--seed", type=int, default=21)
    args = p.parse_args()
    random.seed(args.seed)
    torch.manual_seed(args.seed)
    rows = make_names(args.names, random.Random(args.seed))
    cut = int(0.8 * len(rows))
    Experiment(args, rows[:cut], rows[cut:]).fit()


if __name__ == "__main__":
    main()
