"""Three-way sentiment of short product reviews with a GRU over packed sequences.

    python reviews_gru.py --epochs 6

The reviews come from a small grammar with negation ("not bad at all") and reversal
("..., but ..."), so a bag of words cannot solve it: order matters.
"""
import argparse
import copy
import logging
import random

import numpy as np
import torch
from torch import nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_sequence
from torch.utils.data import DataLoader, Dataset, Sampler
from sklearn.metrics import classification_report, confusion_matrix, f1_score

logging.basicConfig(level=logging.INFO, format="%(asctime)s %(levelname)s %(message)s", datefmt="%H:%M:%S")
log = logging.getLogger("reviews")

GOOD = "great lovely solid excellent fast bright reliable quiet sturdy handy".split()
BAD = "awful flimsy slow noisy dull broken cheap useless ugly faulty".split()
NEUTRAL = "average okay ordinary standard usual plain".split()
THING = "battery screen case cable strap motor lid handle button charger sound delivery".split()
FILLER = "honestly well also still again today overall so".split()
NEGATION = ["not", "never", "hardly"]
CLASSES = ["negative", "neutral", "positive"]


def clause(rng, sentiment):
    """words for one clause whose meaning is `sentiment` (-1, 0, 1)"""
    words = [rng.choice(FILLER)] if rng.random() < 0.5 else []
    words += ["the", rng.choice(THING), rng.choice(["is", "was", "feels", "seems"])]
    if sentiment == 0:
        words.append(rng.choice(NEUTRAL))
    elif rng.random() < 0.35:
        words += [rng.choice(NEGATION), rng.choice(BAD if sentiment > 0 else GOOD)]
    else:
        words += [rng.choice(["very", "quite", "really"]), rng.choice(GOOD if sentiment > 0 else BAD)]
    return words


def review(rng, label):
    """What counts is the last clause after a `but`; otherwise all clauses agree."""
    s = label - 1
    if rng.random() < 0.5:
        first = rng.choice([v for v in (-1, 0, 1) if v != s])
        words = clause(rng, first)
        if rng.random() < 0.4:
            words += ["and"] + clause(rng, first)
        return words + ["but"] + clause(rng, s)
    words = clause(rng, s)
    for _ in range(rng.randint(0, 3)):
        words += ["and"] + clause(rng, s)
    return words


def make_corpus(n, seed):
    rng = random.Random(seed)
    seen, rows = set(), []
    while len(rows) < n:
        label = len(rows) % 3
        words = review(rng, label)
        key = " ".join(words)
        if key in seen:
            continue
        seen.add(key)
        shown = label if rng.random() > 0.03 else rng.randrange(3)     # annotators slip now and then
        rows.append((words, shown))
    rng.shuffle(rows)
    return rows


class ReviewDataset(Dataset):
    def __init__(self, rows, vocab):
        self.items = [(torch.tensor([vocab.get(w, 1) for w in words]), y) for words, y in rows]
        self.lengths = [len(t) for t, _ in self.items]

    def __len__(self):
        return len(self.items)

    def __getitem__(self, i):
        return self.items[i]


class BucketSampler(Sampler):
    """Batches of similar length: permute, cut into pools, sort inside each pool, serve batches in random order."""

    def __init__(self, lengths, batch_size, seed):
        self.lengths, self.batch_size, self.seed, self.epoch = lengths, batch_size, seed, 0

    def __len__(self):
        return (len(self.lengths) + self.batch_size - 1) // self.batch_size

    def __iter__(self):
        rng = random.Random(self.seed + self.epoch)
        self.epoch += 1
        order = list(range(len(self.lengths)))
        rng.shuffle(order)
        pool = self.batch_size * 10
        batches = []
        for s in range(0, len(order), pool):
            chunk = sorted(order[s:s + pool], key=lambda i: -self.lengths[i])
            batches += [chunk[b:b + self.batch_size] for b in range(0, len(chunk), self.batch_size)]
        rng.shuffle(batches)
        return iter(batches)


def collate(batch):
    batch = sorted(batch, key=lambda item: len(item[0]), reverse=True)   # text and label travel together
    seqs, ys = zip(*batch)
    lens = torch.tensor([len(s) for s in seqs])
    return pad_sequence(seqs, batch_first=True, padding_value=0), lens, torch.tensor(ys)


class GRUClassifier(nn.Module):
    def __init__(self, n_vocab, emb=16, hidden=24, n_classes=3, p=0.25):
        super().__init__()
        self.emb = nn.Embedding(n_vocab, emb, padding_idx=0)
        self.gru = nn.GRU(emb, hidden, batch_first=True, bidirectional=True)
        self.drop = nn.Dropout(p)
        self.out = nn.Linear(2 * hidden, n_classes)

    def forward(self, x, lens):
        packed = pack_padded_sequence(self.drop(self.emb(x)), lens, batch_first=True, enforce_sorted=True)
        _, h = self.gru(packed)                       # h: (2, batch, hidden), the true last step of each row
        return self.out(self.drop(torch.cat([h[0], h[1]], dim=1)))


def train_one_epoch(model, loader, criterion, optimizer):
    model.train()
    total, seen = 0.0, 0
    for x, lens, y in loader:
        optimizer.zero_grad()
        loss = criterion(model(x, lens), y)
        loss.backward()
        optimizer.step()
        total += loss.item() * len(y)
        seen += len(y)
    return total / seen


@torch.inference_mode()
def validate(model, loader, criterion):
    model.eval()
    total, seen, ys, ps = 0.0, 0, [], []
    for x, lens, y in loader:
        logits = model(x, lens)
        total += criterion(logits, y).item() * len(y)
        seen += len(y)
        ys.append(y)
        ps.append(logits.argmax(1))
    ys, ps = torch.cat(ys).numpy(), torch.cat(ps).numpy()
    return total / seen, f1_score(ys, ps, average="macro"), ys, ps


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--epochs", type=int, default=6)
    ap.add_argument("--batch-size", type=int, default=64)
    ap.add_argument("--lr", type=float, default=4e-3)
    ap.add_argument("--seed", type=int, default=11)
    args = ap.parse_args()
    random.seed(args.seed)
    np.random.seed(args.seed)
    torch.manual_seed(args.seed)

    rows = make_corpus(9000, seed=args.seed)
    train_rows, val_rows, test_rows = rows[:6000], rows[6000:7500], rows[7500:]
    words = sorted({w for ws, _ in train_rows for w in ws})
    vocab = {w: i + 2 for i, w in enumerate(words)}                      # 0 = padding, 1 = unknown
    train_ds, val_ds, test_ds = (ReviewDataset(r, vocab) for r in (train_rows, val_rows, test_rows))
    log.info("vocab %d, lengths %d..%d", len(vocab) + 2, min(train_ds.lengths), max(train_ds.lengths))

    train_dl = DataLoader(train_ds, batch_sampler=BucketSampler(train_ds.lengths, args.batch_size, args.seed), collate_fn=collate)
    val_dl = DataLoader(val_ds, batch_size=256, collate_fn=collate)
    test_dl = DataLoader(test_ds, batch_size=256, collate_fn=collate)

    model = GRUClassifier(len(vocab) + 2)
    criterion = nn.CrossEntropyLoss()
    optimizer = torch.optim.Adam(model.parameters(), lr=args.lr)
    scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=args.epochs, eta_min=args.lr / 20)

    best_f1, best_state = -1.0, None
    for epoch in range(1, args.epochs + 1):
        tr = train_one_epoch(model, train_dl, criterion, optimizer)
        va, f1, _, _ = validate(model, val_dl, criterion)
        scheduler.step()
        log.info("epoch %2d  train loss %.4f  val loss %.4f  val macro-F1 %.4f", epoch, tr, va, f1)
        if f1 > best_f1:
            best_f1, best_state = f1, copy.deepcopy(model.state_dict())

    model.load_state_dict(best_state)
    te, f1, ys, ps = validate(model, test_dl, criterion)
    log.info("test loss %.4f  macro-F1 %.4f (about 2%% of the labels are annotator slips)", te, f1)
    print(classification_report(ys, ps, target_names=CLASSES, digits=3))
    print(confusion_matrix(ys, ps))


if __name__ == "__main__":
    main()
