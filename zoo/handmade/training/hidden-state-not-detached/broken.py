"""Character-level language model on generated sentences, trained over one long stream."""

import math
import random

import torch
import torch.nn as nn

ROWS = 48
BPTT = 16
HIDDEN = 48
EPOCHS = 18

NOUNS = ["cat", "dog", "bird", "fox"]
VERBS = ["sees", "likes", "hears"]
ADJECTIVES = ["red", "old", "small"]


def write_text(n_sentences, rng):
    out = []
    for _ in range(n_sentences):
        subject = f"the {rng.choice(ADJECTIVES)} {rng.choice(NOUNS)}"
        out.append(f"{subject} {rng.choice(VERBS)} the {rng.choice(NOUNS)}. ")
    return "".join(out)


class CharModel(nn.Module):
    def __init__(self, vocab):
        super().__init__()
        self.encoder = nn.Embedding(vocab, 24)
        self.rnn = nn.GRU(24, HIDDEN)
        self.decoder = nn.Linear(HIDDEN, vocab)

    def forward(self, chars, hidden):
        output, hidden = self.rnn(self.encoder(chars), hidden)
        return self.decoder(output), hidden


def batchify(codes, rows):
    """Cut the stream into parallel rows: (time, rows)."""
    length = len(codes) // rows
    return codes[: length * rows].view(rows, length).t().contiguous()


def chunks(stream):
    for start in range(0, len(stream) - 1, BPTT):
        stop = min(start + BPTT, len(stream) - 1)
        yield stream[start:stop], stream[start + 1 : stop + 1]


def evaluate(model, stream, criterion):
    model.eval()
    hidden = torch.zeros(1, stream.shape[1], HIDDEN)
    total, count = 0.0, 0
    with torch.no_grad():
        for inputs, targets in chunks(stream):
            logits, hidden = model(inputs, hidden)
            total += criterion(logits.flatten(0, 1), targets.flatten()).item() * targets.numel()
            count += targets.numel()
    return total / count / math.log(2)


def main():
    torch.manual_seed(1)
    rng = random.Random(1)
    texts = [write_text(n, rng) for n in (240, 60, 60)]
    alphabet = sorted(set(texts[0]))
    index = {c: i for i, c in enumerate(alphabet)}
    codes = [torch.tensor([index[c] for c in text]) for text in texts]
    train, val, test = (batchify(c, r) for c, r in zip(codes, (ROWS, 8, 8), strict=True))

    model = CharModel(len(alphabet))
    criterion = nn.CrossEntropyLoss()
    lr = 2.0
    for epoch in range(1, EPOCHS + 1):
        model.train()
        hidden = torch.zeros(1, ROWS, HIDDEN)
        total = 0.0
        for inputs, targets in chunks(train):
            logits, hidden = model(inputs, hidden)
            loss = criterion(logits.flatten(0, 1), targets.flatten())
            model.zero_grad()
            loss.backward(retain_graph=True)
            for p in model.parameters():
                p.data.add_(p.grad, alpha=-lr)
            total += loss.item() * targets.numel()
        bits = total / (len(train) - 1) / ROWS / math.log(2)
        val_bits = evaluate(model, val, criterion)
        print(f"epoch {epoch:2d}: train bpc {bits:.3f}  val bpc {val_bits:.3f}")

    print(f"test bits per character {evaluate(model, test, criterion):.3f}")


if __name__ == "__main__":
    main()
