import math
import time

import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset


# --------------------------------------------------------------------------- data
# bracket strings over "()[]": label 1 when the string is well nested
PAD, VOCAB = 0, {"(": 1, ")": 2, "[": 3, "]": 4}
PAIRS = {"(": ")", "[": "]"}


def balanced(n, rng):
    if n == 0:
        return ""
    k = 2 * int(torch.randint(0, n // 2, (1,), generator=rng))
    o = "(" if torch.rand(1, generator=rng) < 0.5 else "["
    return o + balanced(k, rng) + PAIRS[o] + balanced(n - 2 - k, rng)


def corrupt(s, rng):
    chars = list(s)
    for i in torch.randperm(len(s), generator=rng)[: max(2, len(s) // 4)].tolist():
        chars[i] = "()[]"[int(torch.randint(0, 4, (1,), generator=rng))]
    return "".join(chars)


def is_balanced(s):
    stack = []
    for c in s:
        if c in PAIRS:
            stack.append(PAIRS[c])
        elif not stack or stack.pop() != c:
            return False
    return not stack


def make_splits(sizes, rng, max_len=12):
    used, splits = set(), []
    for n in sizes:
        xs, ys = [], []
        while len(xs) < n:
            length = 2 * int(torch.randint(4, max_len // 2 + 1, (1,), generator=rng))
            s = balanced(length, rng)
            if len(xs) % 2:
                s = corrupt(s, rng)
            if is_balanced(s) == bool(len(xs) % 2) or s in used:
                continue
            used.add(s)
            xs.append([VOCAB[c] for c in s] + [PAD] * (max_len - length))
            ys.append(int(is_balanced(s)))
        splits.append(TensorDataset(torch.tensor(xs), torch.tensor(ys)))
    return splits


# --------------------------------------------------------------------------- model
class BracketTransformer(nn.Module):
    def __init__(self, d=32, heads=4, layers=2, max_len=12):
        super().__init__()
        self.tok = nn.Embedding(5, d, padding_idx=PAD)
        self.pos = nn.Parameter(torch.randn(max_len, d) * 0.1)
        layer = nn.TransformerEncoderLayer(d, heads, 2 * d, dropout=0.0, batch_first=True)
        self.encoder = nn.TransformerEncoder(layer, layers, enable_nested_tensor=False)
        self.out = nn.Linear(d, 2)

    def forward(self, x):
        mask = x == PAD
        h = self.encoder(self.tok(x) + self.pos, src_key_padding_mask=mask)
        keep = (~mask).unsqueeze(-1).float()
        return self.out((h * keep).sum(1) / keep.sum(1))


# --------------------------------------------------------------------------- trainer
class Callback:
    def on_epoch_end(self, trainer, logs): ...


class Printer(Callback):
    def __init__(self, every=2):
        self.every, self.t0 = every, time.time()

    def on_epoch_end(self, trainer, logs):
        if logs["epoch"] % self.every == 0:
            print("  ".join(f"{k}={v:.4f}" if isinstance(v, float) else f"{k}={v}" for k, v in logs.items()))


class History(Callback):
    def __init__(self):
        self.rows = []

    def on_epoch_end(self, trainer, logs):
        self.rows.append(dict(logs))


class Trainer:
    def __init__(self, model, optimizer, scheduler, callbacks=()):
        self.model, self.optimizer, self.scheduler = model, optimizer, scheduler
        self.callbacks = list(callbacks)
        self.loss_fn = nn.CrossEntropyLoss()

    def run_epoch(self, loader, train):
        self.model.train(train)
        loss_sum = hits = count = 0
        with torch.set_grad_enabled(train):
            for x, y in loader:
                logits = self.model(x)
                loss = self.loss_fn(logits, y)
                if train:
                    self.optimizer.zero_grad(set_to_none=True)
                    loss.backward()
                    self.optimizer.step()
                    self.scheduler.step()
                loss_sum += loss.item() * len(y)
                hits += (logits.argmax(1) == y).sum().item()
                count += len(y)
        return loss_sum / count, hits / count

    def fit(self, train, val, epochs):
        for epoch in range(1, epochs + 1):
            tl, ta = self.run_epoch(train, True)
            vl, va = self.run_epoch(val, False)
            logs = dict(epoch=epoch, loss=tl, acc=ta, val_loss=vl, val_acc=va)
            for cb in self.callbacks:
                cb.on_epoch_end(self, logs)


if __name__ == "__main__":
    torch.manual_seed(0)
    rng = torch.Generator().manual_seed(0)
    train_set, val_set = make_splits([3200, 600], rng)
    print(f"train {len(train_set)}  val {len(val_set)}")
    train = DataLoader(train_set, batch_size=64, shuffle=True)
    val = DataLoader(val_set, batch_size=256)

    model = BracketTransformer()
    epochs = 8
    optimizer = torch.optim.AdamW(model.parameters(), lr=5e-2, weight_decay=0.01)
    total, warm = epochs * len(train), len(train)
    scheduler = torch.optim.lr_scheduler.LambdaLR(
        optimizer, lambda s: min(1.0, (s + 1) / warm) * 0.5 * (1 + math.cos(math.pi * min(s, total) / total)))
    history = History()
    Trainer(model, optimizer, scheduler, [Printer(), history]).fit(train, val, epochs)
    print(f"validation accuracy: {history.rows[-1]['val_acc']:.3f}")
