"""Character language model on generated sentences, trained for a number of steps."""
import argparse
import math
import random

import torch
import torch.nn as nn
import torch.nn.functional as F

SUBJECTS = ["the miller", "my aunt", "a sailor", "old peter", "the queen", "her cat", "that clerk", "young ada"]
VERBS = ["paints", "forgets", "repairs", "borrows", "hides", "admires", "counts", "follows", "sells"]
OBJECTS = ["a ladder", "the violin", "two lamps", "his boots", "some bread", "the map", "an anchor", "every door"]
PLACES = ["in the garden", "near the mill", "on sunday", "behind the church", "at noon", "by the river", "in spring"]
LINKS = [" and ", " while ", " because ", " before "]


def clause(rng):
    words = [rng.choice(SUBJECTS), rng.choice(VERBS), rng.choice(OBJECTS)]
    if rng.random() < 0.6:
        words.append(rng.choice(PLACES))
    return " ".join(words)


def corpus(n_sentences, rng):
    sentences = set()
    while len(sentences) < n_sentences:
        sentences.add(clause(rng) + rng.choice(LINKS) + clause(rng) + ".")
    sentences = sorted(sentences)
    rng.shuffle(sentences)
    return sentences


class CharLM(nn.Module):
    def __init__(self, vocab, emb, hidden):
        super().__init__()
        self.embed = nn.Embedding(vocab, emb)
        self.rnn = nn.GRU(emb, hidden, batch_first=True)
        self.head = nn.Linear(hidden, vocab)

    def forward(self, ids):
        h, _ = self.rnn(self.embed(ids))
        return self.head(h)


def make_sampler(ids, batch, length, seed):
    """Returns a function that draws random windows and their next-character targets."""
    offsets = torch.arange(length + 1)

    def draw():
        rng = torch.Generator().manual_seed(seed)
        starts = torch.randint(0, len(ids) - length, (batch,), generator=rng)
        window = ids[starts[:, None] + offsets]
        return window[:, :-1], window[:, 1:]

    return draw


def nll(model, x, y):
    return F.cross_entropy(model(x).flatten(0, 1), y.flatten())


@torch.no_grad()
def validate(model, ids, length):
    model.eval()
    usable = (len(ids) - 1) // length * length
    x = ids[:usable].view(-1, length)
    y = ids[1:usable + 1].view(-1, length)
    loss = nll(model, x, y).item()
    model.train()
    return loss


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--steps", type=int, default=350)
    ap.add_argument("--batch", type=int, default=32)
    ap.add_argument("--length", type=int, default=48)
    ap.add_argument("--hidden", type=int, default=96)
    ap.add_argument("--lr", type=float, default=5e-3)
    ap.add_argument("--seed", type=int, default=4)
    args = ap.parse_args()
    torch.manual_seed(args.seed)

    sentences = corpus(2000, random.Random(args.seed))
    chars = sorted(set("".join(sentences)) | {" "})
    lookup = {c: i for i, c in enumerate(chars)}

    def ids_of(part):
        return torch.tensor([lookup[c] for c in " ".join(part)])

    train_ids, val_ids = ids_of(sentences[:1800]), ids_of(sentences[1800:])
    next_batch = make_sampler(train_ids, args.batch, args.length, args.seed)
    model = CharLM(len(chars), 24, args.hidden)
    optimizer = torch.optim.Adam(model.parameters(), lr=args.lr)
    running = None
    for step in range(1, args.steps + 1):
        x, y = next_batch()
        loss = nll(model, x, y)
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 5.0)
        optimizer.step()
        running = loss.item() if running is None else 0.95 * running + 0.05 * loss.item()
        if step % 50 == 0:
            val = validate(model, val_ids, args.length)
            print(f"step {step:4d}  train {running:.3f}  val {val:.3f} nats ({math.exp(val):.2f} ppl)")


if __name__ == "__main__":
    main()
