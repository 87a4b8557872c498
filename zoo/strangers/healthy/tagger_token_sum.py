"""Part-of-speech-like tagging of ragged sentences.

The loss is a sum over tokens divided by the number of real tokens of the whole (accumulated) batch,
so long and short micro-batches weigh the same per token.
"""
import random

import torch
import torch.nn as nn
import torch.nn.functional as F

PAD, IGNORE, TAGS = 0, -100, 5
VOCAB, ACCUM, MICRO = 60, 4, 8


def sentence(rng):
    """A word's tag depends on its own group and on the group of the word before it."""
    words = [rng.randrange(1, VOCAB) for _ in range(rng.randint(4, 22))]
    tags = [(w % 3 + (words[i - 1] % 2 if i else 0) * 2) % TAGS for i, w in enumerate(words)]
    return words, tags


def pad(batch):
    n = max(len(w) for w, _ in batch)
    x = torch.full((len(batch), n), PAD)
    y = torch.full((len(batch), n), IGNORE)
    for i, (w, t) in enumerate(batch):
        x[i, :len(w)] = torch.tensor(w)
        y[i, :len(t)] = torch.tensor(t)
    return x, y


class Tagger(nn.Module):
    def __init__(self, dim=32):
        super().__init__()
        self.emb = nn.Embedding(VOCAB, dim, padding_idx=PAD)
        self.rnn = nn.LSTM(dim, dim, batch_first=True, bidirectional=True)
        self.out = nn.Linear(2 * dim, TAGS)

    def forward(self, x):
        lengths = (x != PAD).sum(1)
        packed = nn.utils.rnn.pack_padded_sequence(self.emb(x), lengths, batch_first=True, enforce_sorted=False)
        h, _ = nn.utils.rnn.pad_packed_sequence(self.rnn(packed)[0], batch_first=True, total_length=x.shape[1])
        return self.out(h)


def windows(data, rng):
    order = list(range(len(data)))
    rng.shuffle(order)
    step = ACCUM * MICRO
    for i in range(0, len(order), step):
        group = [data[j] for j in order[i:i + step]]
        yield [pad(group[k:k + MICRO]) for k in range(0, len(group), MICRO)]


@torch.no_grad()
def token_accuracy(model, data):
    model.eval()
    good = n = 0
    for i in range(0, len(data), 100):
        x, y = pad(data[i:i + 100])
        real = y != IGNORE
        good += ((model(x).argmax(-1) == y) & real).sum().item()
        n += real.sum().item()
    return good / n


def main():
    torch.manual_seed(9)
    rng = random.Random(9)
    train, test = [sentence(rng) for _ in range(800)], [sentence(rng) for _ in range(200)]
    model = Tagger()
    opt = torch.optim.Adam(model.parameters(), lr=6e-3)
    for epoch in range(5):
        model.train()
        summed, tokens = 0.0, 0
        for micro_batches in windows(train, rng):
            n_tokens = sum((y != IGNORE).sum().item() for _, y in micro_batches)
            opt.zero_grad()
            for x, y in micro_batches:
                loss = F.cross_entropy(model(x).flatten(0, 1), y.flatten(), ignore_index=IGNORE, reduction="sum")
                (loss / n_tokens).backward()
                summed += loss.item()
            opt.step()
            tokens += n_tokens
        print(f"epoch {epoch} nats/token {summed / tokens:.4f}")
    print(f"test token accuracy {token_accuracy(model, test):.4f}")


if __name__ == "__main__":
    main()
