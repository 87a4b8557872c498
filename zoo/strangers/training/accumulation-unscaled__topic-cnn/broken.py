import argparse
import collections
import itertools

import numpy as np
import torch
import torch.nn as nn

TOPICS = {
    0: "match goal coach league striker season keeper penalty stadium defender".split(),
    1: "market shares bank profit inflation bonds investor quarter earnings rates".split(),
    2: "galaxy telescope orbit planet rocket lunar probe comet astronaut solar".split(),
    3: "recipe butter oven garlic simmer flour sauce pepper roast onion".split(),
}
FILLER = ("the a of to and in on with for from by at it was is were has had been will said new old first last "
          "after before over under people day week year time many some more very").split()


def make_corpus(n, rng):
    docs, labels = [], []
    for _ in range(n):
        y = int(rng.integers(4))
        length = int(rng.integers(10, 20))
        words = []
        for _ in range(length):
            u = rng.random()
            if u < 0.22:
                words.append(str(rng.choice(TOPICS[y])))
            elif u < 0.30:
                words.append(str(rng.choice(TOPICS[int(rng.integers(4))])))
            else:
                words.append(str(rng.choice(FILLER)))
        docs.append(" ".join(words))
        labels.append(y)
    return docs, labels


def build_vocab(docs, min_freq=2):
    c = collections.Counter(itertools.chain.from_iterable(d.split() for d in docs))
    return {w: i for i, w in enumerate(["<pad>", "<unk>"] + [w for w, k in c.most_common() if k >= min_freq])}


def encode(docs, vocab, max_len=20):
    out = torch.zeros(len(docs), max_len, dtype=torch.long)
    for i, d in enumerate(docs):
        ids = [vocab.get(w, 1) for w in d.split()][:max_len]
        out[i, :len(ids)] = torch.tensor(ids)
    return out


class TextCNN(nn.Module):
    def __init__(self, n_vocab, emb=32, maps=48, n_cls=4):
        super().__init__()
        self.emb = nn.Embedding(n_vocab, emb, padding_idx=0)
        self.conv = nn.Conv1d(emb, maps, 3, padding=1)
        self.fc = nn.Linear(maps, n_cls)

    def forward(self, ids):
        h = torch.relu(self.conv(self.emb(ids).transpose(1, 2)))
        return self.fc(h.mean(2))


def minibatches(x, y, size):
    perm = torch.randperm(len(x))
    n_full = len(x) // size
    for k in range(n_full):
        idx = perm[k * size:(k + 1) * size]
        yield x[idx], y[idx]


class Accumulator:
    """Gather gradients of `every` micro-batches into one update."""

    def __init__(self, optimizer, every):
        self.optimizer = optimizer
        self.every = every
        self.calls = 0
        optimizer.zero_grad()

    def backward(self, loss):
        loss.backward()
        self.calls += 1
        if self.calls % self.every == 0:
            self.optimizer.step()
            self.optimizer.zero_grad()


@torch.no_grad()
def evaluate(model, x, y, criterion):
    model.eval()
    out = model(x)
    return criterion(out, y).item(), (out.argmax(1) == y).float().mean().item()


def run(opts):
    rng = np.random.default_rng(opts.seed)
    torch.manual_seed(opts.seed)
    docs, labels = make_corpus(opts.docs, rng)
    a, b = int(0.75 * len(docs)), int(0.87 * len(docs))
    vocab = build_vocab(docs[:a])
    ids, y = encode(docs, vocab), torch.tensor(labels)
    model = TextCNN(len(vocab))
    criterion = nn.CrossEntropyLoss()
    optimizer = torch.optim.SGD(model.parameters(), lr=opts.lr, momentum=0.9)
    accum = Accumulator(optimizer, opts.accumulate)
    for epoch in range(opts.epochs):
        model.train()
        losses = []
        for xb, yb in minibatches(ids[:a], y[:a], opts.micro_batch):
            loss = criterion(model(xb), yb)
            accum.backward(loss)
            losses.append(loss.item())
        vl, va = evaluate(model, ids[a:b], y[a:b], criterion)
        print(f"epoch={epoch} loss={np.mean(losses):.4f} val_loss={vl:.4f} val_acc={va:.4f}")
    tl, ta = evaluate(model, ids[b:], y[b:], criterion)
    print(f"held-out: loss={tl:.4f} acc={ta:.4f}")


if __name__ == "__main__":
    p = argparse.ArgumentParser()
    p.add_argument("--docs", type=int, default=3000)
    p.add_argument("--epochs", type=int, default=8)
    p.add_argument("--micro-batch", type=int, default=10)
    p.add_argument("--accumulate", type=int, default=16)
    p.add_argument("--lr", type=float, default=0.5)
    p.add_argument("--seed", type=int, default=3)
    run(p.parse_args())
