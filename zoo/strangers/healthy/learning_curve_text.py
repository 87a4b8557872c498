"""How many labelled reviews are enough?  A learning curve with three seeds at each size, EmbeddingBag with
offsets instead of padding, and a bootstrap interval at the end.

All sizes share one validation set, which chooses the number of epochs; the test set is opened for the
chosen model of the largest size alone.
"""
import copy
import csv
import random
import statistics as st
import sys
from itertools import accumulate

import torch
from torch import nn

TOPICS = {"food": "soup bread sauce grill spice noodle salad oven".split(),
          "travel": "train hotel beach ticket island museum flight harbour".split(),
          "sport": "match goal coach league sprint racket final stadium".split(),
          "music": "chorus guitar tempo singer album drum violin encore".split()}
COMMON = ("the a of and to in it was very that we they had with for on this my good bad long short new old "
          "friend day night city people time place year").split()
NAMES = list(TOPICS)


def write_review(rng):
    y = rng.randrange(len(NAMES))
    words = []
    for _ in range(rng.randint(12, 30)):
        u = rng.random()
        if u < 0.22:
            words.append(rng.choice(TOPICS[NAMES[y]]))
        elif u < 0.32:
            words.append(rng.choice(TOPICS[rng.choice(NAMES)]))      # people digress
        else:
            words.append(rng.choice(COMMON))
    return words, y


def corpus(n, seed):
    rng, seen = random.Random(seed), set()
    while len(seen) < n:
        words, y = write_review(rng)
        key = " ".join(words)
        if key not in seen:
            seen.add(key)
            yield words, y


class Encoder:
    def __init__(self, docs):
        self.index = {w: i for i, w in enumerate(sorted({w for d, _ in docs for w in d}), start=1)}    # 0: unknown

    def __call__(self, docs):
        return [(torch.tensor([self.index.get(w, 0) for w in d]), y) for d, y in docs]


def collate(rows):
    lengths = [len(ids) for ids, _ in rows]
    offsets = torch.tensor([0, *accumulate(lengths[:-1])])
    return torch.cat([ids for ids, _ in rows]), offsets, torch.tensor([y for _, y in rows])


class Bag(nn.Module):
    def __init__(self, vocab, dim=16):
        super().__init__()
        self.bag = nn.EmbeddingBag(vocab, dim, mode="mean")
        self.out = nn.Linear(dim, len(NAMES))

    def forward(self, ids, offsets):
        return self.out(self.bag(ids, offsets))


def assess(model, batch):
    ids, offsets, y = batch
    model.eval()
    with torch.no_grad():
        out = model(ids, offsets)
    return nn.functional.cross_entropy(out, y).item(), (out.argmax(1) == y).float()


def fit(train, val_batch, vocab, seed, steps=500, batch=64, every=50):
    """A fixed number of updates whatever the size, so that sizes are compared at equal work."""
    torch.manual_seed(seed)
    rng = random.Random(seed)
    model = Bag(vocab)
    opt = torch.optim.AdamW(model.parameters(), lr=1.5e-2, weight_decay=0.1)
    sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, steps)
    best, keep, run, trail = float("inf"), None, [], []
    for s in range(1, steps + 1):
        model.train()
        ids, offsets, y = collate(rng.sample(train, batch))
        opt.zero_grad()
        loss = nn.functional.cross_entropy(model(ids, offsets), y)
        loss.backward()
        opt.step()
        sched.step()
        run.append(loss.item())
        if s % every == 0:
            v, _ = assess(model, val_batch)
            trail.append((s, st.fmean(run[-every:]), v))
            if v < best:
                best, keep = v, copy.deepcopy(model.state_dict())
    model.load_state_dict(keep)
    return model, best, trail


def main():
    docs = list(corpus(11000, seed=0))
    pool, val, test = docs[:8000], docs[8000:9500], docs[9500:]
    encode = Encoder(pool)
    pool, val, test = encode(pool), collate(encode(val)), collate(encode(test))
    table = csv.writer(sys.stdout)
    table.writerow(["size", "seed", "val_loss", "val_acc"])
    for size in (2000, 4000, 8000):
        accs, models = [], []
        for seed in range(3):
            part = random.Random(100 + seed).sample(pool, size)
            model, loss, trail = fit(part, val, len(encode.index) + 1, seed)
            accs.append(assess(model, val)[1].mean().item())
            models.append((loss, model, trail))
            table.writerow([size, seed, f"{loss:.4f}", f"{accs[-1]:.4f}"])
        print(f"# size {size}: accuracy {st.fmean(accs):.4f} +- {st.stdev(accs):.4f}")

    _, model, trail = min(models, key=lambda m: m[0])
    for s, tr, v in trail:
        print(f"# step {s:3d} train {tr:.4f} val {v:.4f}")
    loss, hit = assess(model, test)
    g = torch.Generator().manual_seed(0)
    boot = hit[torch.randint(len(hit), (2000, len(hit)), generator=g)].mean(1)
    lo, hi = boot.quantile(torch.tensor([0.025, 0.975])).tolist()
    print(f"# test loss {loss:.4f} accuracy {hit.mean():.4f}, 95% bootstrap [{lo:.4f}, {hi:.4f}]")


if __name__ == "__main__":
    main()
