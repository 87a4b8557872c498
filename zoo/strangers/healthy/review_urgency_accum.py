"""Flag urgent customer messages (about one in six). Token CNN, micro-batches of 16 with gradients averaged over four."""
import argparse
import copy
import math

import numpy as np
import torch
import torch.nn.functional as F
from sklearn.metrics import average_precision_score, f1_score
from torch import nn
from torch.nn.utils import clip_grad_norm_
from torch.utils.data import DataLoader, Dataset, Subset

VOCAB, MAXLEN = 800, 30


class Messages(Dataset):
    """A message is urgent when an alarm word is followed closely by a product word."""

    def __init__(self, n, seed):
        rng = np.random.default_rng(seed)
        freq = 1.0 / np.arange(3, VOCAB)
        freq /= freq.sum()
        alarm, product = np.arange(40, 52), np.arange(300, 318)
        self.items = []
        for _ in range(n):
            toks = rng.choice(np.arange(3, VOCAB), size=rng.integers(10, MAXLEN), p=freq)
            toks[np.isin(toks, alarm)] = 5
            y = int(rng.random() < 0.17)
            if y:
                i = rng.integers(0, len(toks) - 3)
                toks[i], toks[i + rng.integers(1, 3)] = rng.choice(alarm), rng.choice(product)
            elif rng.random() < 0.3:
                toks[rng.integers(len(toks))] = rng.choice(alarm)
            if rng.random() < 0.01:
                y = 1 - y
            self.items.append((toks, y))
        self.labels = np.array([y for _, y in self.items])

    def __len__(self):
        return len(self.items)

    def __getitem__(self, i):
        toks, y = self.items[i]
        out = torch.zeros(MAXLEN, dtype=torch.long)
        out[:len(toks)] = torch.from_numpy(toks)
        return out, y


class TokenCNN(nn.Module):
    def __init__(self, dim=32, width=48):
        super().__init__()
        self.emb = nn.Embedding(VOCAB, dim, padding_idx=0)
        self.convs = nn.ModuleList(nn.Conv1d(dim, width, k, padding=k // 2) for k in (2, 3, 4))
        self.drop = nn.Dropout(0.3)
        self.out = nn.Linear(3 * width, 2)

    def forward(self, tokens):
        e = self.emb(tokens).transpose(1, 2)
        pooled = [F.relu(c(e)).amax(dim=2) for c in self.convs]
        return F.log_softmax(self.out(self.drop(torch.cat(pooled, dim=1))), dim=1)


class Trainer:
    def __init__(self, model, class_weight, args, n_batches):
        self.model, self.args = model, args
        self.criterion = nn.NLLLoss(weight=class_weight)
        decay = [p for p in model.parameters() if p.ndim > 1]
        rest = [p for p in model.parameters() if p.ndim <= 1]
        self.opt = torch.optim.AdamW([{"params": decay, "weight_decay": 0.01},
                                      {"params": rest, "weight_decay": 0.0}], lr=args.lr)
        total = args.epochs * math.ceil(n_batches / args.accum)
        warm = max(1, total // 20)
        self.sched = torch.optim.lr_scheduler.LambdaLR(
            self.opt, lambda s: min((s + 1) / warm, 0.5 * (1 + math.cos(math.pi * min(1.0, s / total)))))

    def train_epoch(self, loader):
        self.model.train()
        total, n = 0.0, len(loader)
        full = n - n % self.args.accum
        self.opt.zero_grad()
        for step, (x, y) in enumerate(loader):
            group = self.args.accum if step < full else n - full
            loss = self.criterion(self.model(x), y)
            (loss / group).backward()
            total += loss.item()
            if (step + 1) % self.args.accum == 0 or step + 1 == n:
                clip_grad_norm_(self.model.parameters(), 2.0)
                self.opt.step()
                self.sched.step()
                self.opt.zero_grad()
        return total / n

    @torch.no_grad()
    def scores(self, loader):
        self.model.eval()
        out = [(self.model(x)[:, 1].exp(), y) for x, y in loader]
        return tuple(torch.cat(t).numpy() for t in zip(*out))


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--n", type=int, default=9000)
    ap.add_argument("--epochs", type=int, default=8)
    ap.add_argument("--micro-batch", type=int, default=16)
    ap.add_argument("--accum", type=int, default=4)
    ap.add_argument("--lr", type=float, default=3e-3)
    ap.add_argument("--seed", type=int, default=0)
    args = ap.parse_args()
    np.random.seed(args.seed)
    torch.manual_seed(args.seed)

    data = Messages(args.n, args.seed)
    order = np.random.permutation(args.n)
    tr, va, te = np.split(order, [int(0.7 * args.n), int(0.85 * args.n)])
    train = DataLoader(Subset(data, tr), args.micro_batch, shuffle=True)
    valid, test = DataLoader(Subset(data, va), 512), DataLoader(Subset(data, te), 512)
    counts = np.bincount(data.labels[tr], minlength=2)
    weight = torch.tensor(np.sqrt(counts.sum() / (2 * counts)), dtype=torch.float32)

    trainer = Trainer(TokenCNN(), weight, args, len(train))
    best, best_state = -1.0, None
    for epoch in range(args.epochs):
        loss = trainer.train_epoch(train)
        p, y = trainer.scores(valid)
        ap_val = average_precision_score(y, p)
        if ap_val > best:
            best, best_state = ap_val, copy.deepcopy(trainer.model.state_dict())
        print(f"epoch {epoch + 1}  loss {loss:.4f}  valid AP {ap_val:.4f}  lr {trainer.sched.get_last_lr()[0]:.2e}")
    trainer.model.load_state_dict(best_state)
    p, y = trainer.scores(test)
    print(f"test AP {average_precision_score(y, p):.4f}  F1 {f1_score(y, p > 0.5):.4f}")


if __name__ == "__main__":
    main()
