# NLP lab, assignment 2: tag every token of a sentence with its role.
# Roles depend on neighbours ("the run" is a noun, "they run" is a verb),
# so the tagger needs context: a stack of dilated convolutions.
import argparse
import random

import torch
import torch.nn as nn

PAD, IGNORE = 0, -100
TAGS = ["DET", "PRON", "NOUN", "VERB", "ADJ", "ADV"]


def build_vocab():
    groups = {
        "det": [f"det{i}" for i in range(4)],
        "pron": [f"pron{i}" for i in range(5)],
        "ambi": [f"ambi{i}" for i in range(60)],
        "adj": [f"adj{i}" for i in range(30)],
    }
    words = ["<pad>"] + [w for g in groups.values() for w in g]
    return groups, {w: i for i, w in enumerate(words)}


def make_sentence(rng, groups):
    """One to three clauses. 'ambi' words are NOUN after a determiner and VERB after a
    pronoun; 'adj' words are ADJ inside a noun phrase and ADV inside a verb phrase."""
    words, tags = [], []
    for _ in range(rng.randint(1, 3)):
        nominal = rng.random() < 0.5
        opener = "det" if nominal else "pron"
        words.append(rng.choice(groups[opener]))
        tags.append("DET" if nominal else "PRON")
        for _ in range(rng.randint(0, 3)):
            words.append(rng.choice(groups["adj"]))
            tags.append("ADJ" if nominal else "ADV")
        words.append(rng.choice(groups["ambi"]))
        tags.append("NOUN" if nominal else "VERB")
    return words, tags


def encode(sentences, vocab):
    width = max(len(w) for w, _ in sentences)
    x = torch.full((len(sentences), width), PAD)
    y = torch.full((len(sentences), width), IGNORE)
    for row, (words, tags) in enumerate(sentences):
        x[row, :len(words)] = torch.tensor([vocab[w] for w in words])
        y[row, :len(tags)] = torch.tensor([TAGS.index(t) for t in tags])
    return x, y


class ConvTagger(nn.Module):
    def __init__(self, vocab_size, dim, depth, n_tags):
        super().__init__()
        self.embed = nn.Embedding(vocab_size, dim, padding_idx=PAD)
        blocks = []
        for i in range(depth):
            d = 2 ** i
            blocks.append(nn.Conv1d(dim, dim, kernel_size=3, dilation=d, padding=d))
        self.blocks = blocks
        self.out = nn.Linear(dim, n_tags)

    def forward(self, tokens):
        keep = (tokens != PAD).unsqueeze(1).float()
        h = self.embed(tokens).transpose(1, 2)
        for conv in self.blocks:
            h = torch.relu(conv(h)) * keep
        return self.out(h.transpose(1, 2))


def token_accuracy(model, x, y):
    model.eval()
    with torch.no_grad():
        pred = model(x).argmax(-1)
    mask = y != IGNORE
    return (pred[mask] == y[mask]).float().mean().item()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--epochs", type=int, default=8)
    parser.add_argument("--batch", type=int, default=64)
    parser.add_argument("--dim", type=int, default=24)
    parser.add_argument("--depth", type=int, default=3)
    parser.add_argument("--lr", type=float, default=3e-3)
    parser.add_argument("--seed", type=int, default=3)
    args = parser.parse_args()
    random.seed(args.seed)
    torch.manual_seed(args.seed)

    groups, vocab = build_vocab()
    rng = random.Random(args.seed)
    unique = {}
    while len(unique) < 4000:
        words, tags = make_sentence(rng, groups)
        if len(words) >= 5:
            unique[tuple(words)] = tags
    sentences = list(unique.items())
    rng.shuffle(sentences)
    x_train, y_train = encode(sentences[:3200], vocab)
    x_dev, y_dev = encode(sentences[3200:], vocab)

    model = ConvTagger(len(vocab), args.dim, args.depth, len(TAGS))
    optimizer = torch.optim.Adam(model.parameters(), lr=args.lr)
    criterion = nn.CrossEntropyLoss(ignore_index=IGNORE)
    for epoch in range(args.epochs):
        model.train()
        order = torch.randperm(len(x_train))
        running = 0.0
        for chunk in order.split(args.batch):
            logits = model(x_train[chunk])
            loss = criterion(logits.flatten(0, 1), y_train[chunk].flatten())
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            running += loss.item() * len(chunk)
        print(f"epoch {epoch + 1}: train loss {running / len(x_train):.4f}")
    print(f"dev token accuracy: {token_accuracy(model, x_dev, y_dev):.4f}")


if __name__ == "__main__":
    main()
