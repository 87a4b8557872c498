"""Tag the parts of chemical-name-like strings with a tiny transformer encoder (padded batches, masked loss)."""
import random

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.nn.utils.rnn import pad_sequence
from torch.utils.data import DataLoader

PREFIX = ["di", "tri", "iso", "cyclo", "neo"]
STEM = ["meth", "eth", "prop", "but", "pent", "hex"]
SUFFIX = ["ane", "ene", "ol", "al", "one", "oate"]
CHARS = {c: i + 1 for i, c in enumerate("abcdefghijklmnopqrstuvwxyz0123456789-,")}
TAGS = ["locant", "prefix", "stem", "suffix"]
PAD_TAG = -100


def make_name(rng):
    text, tags = "", []

    def add(piece, tag):
        nonlocal text
        text += piece
        tags.extend([TAGS.index(tag)] * len(piece))

    for _ in range(rng.randint(1, 3)):
        if rng.random() < 0.6:
            add(",".join(str(rng.randint(1, 9)) for _ in range(rng.randint(1, 2))) + "-", "locant")
        if rng.random() < 0.5:
            add(rng.choice(PREFIX), "prefix")
        add(rng.choice(STEM), "stem")
        add(rng.choice(SUFFIX), "suffix")
    return torch.tensor([CHARS[c] for c in text]), torch.tensor(tags)


def collate(items):
    chars, tags = zip(*items)
    return pad_sequence(chars, batch_first=True), pad_sequence(tags, batch_first=True, padding_value=PAD_TAG)


class AverageMeter:
    """Weighted running mean."""

    def __init__(self, name):
        self.name = name
        self.sum = 0.0
        self.count = 0

    def reset(self):
        self.sum = 0.0

    def update(self, value, n=1):
        self.sum += value * n
        self.count += n

    @property
    def avg(self):
        return self.sum / max(self.count, 1)

    def __str__(self):
        return f"{self.name} {self.avg:.4f}"


class Tagger(nn.Module):
    def __init__(self, dim=32, heads=4, layers=1, max_len=64):
        super().__init__()
        self.chars = nn.Embedding(len(CHARS) + 1, dim, padding_idx=0)
        self.positions = nn.Parameter(0.02 * torch.randn(max_len, dim))
        self.local = nn.Conv1d(dim, dim, kernel_size=7, padding=3)
        block = nn.TransformerEncoderLayer(dim, heads, dim_feedforward=64, dropout=0.1, batch_first=True, norm_first=True)
        self.encoder = nn.TransformerEncoder(block, layers, enable_nested_tensor=False)
        self.out = nn.Linear(dim, len(TAGS))

    def forward(self, chars):
        h = self.chars(chars) + self.positions[: chars.shape[1]]
        h = h + F.gelu(self.local(h.transpose(1, 2))).transpose(1, 2)
        return self.out(self.encoder(h, src_key_padding_mask=chars == 0))


def step(model, chars, tags, loss_meter, acc_meter):
    logits = model(chars)
    loss = F.cross_entropy(logits.flatten(0, 1), tags.flatten(), ignore_index=PAD_TAG)
    real = tags != PAD_TAG
    n = int(real.sum())
    loss_meter.update(loss.item(), n)
    acc_meter.update((logits.argmax(-1) == tags)[real].float().mean().item(), n)
    return loss


def main(seed=1, epochs=8):
    torch.manual_seed(seed)
    rng, names = random.Random(seed), {}
    while len(names) < 1500:
        chars, tags = make_name(rng)
        names[tuple(chars.tolist())] = chars, tags
    names = list(names.values())
    rng.shuffle(names)
    train, val = names[:1200], names[1200:]
    train_loader = DataLoader(train, batch_size=32, shuffle=True, collate_fn=collate)
    val_loader = DataLoader(val, batch_size=64, collate_fn=collate)

    model = Tagger()
    opt = torch.optim.AdamW(model.parameters(), lr=3e-3, weight_decay=1e-2)
    sched = torch.optim.lr_scheduler.OneCycleLR(opt, max_lr=3e-3, epochs=epochs, steps_per_epoch=len(train_loader))
    meters = {k: AverageMeter(k) for k in ("train_loss", "train_acc", "val_loss", "val_acc")}

    for epoch in range(1, epochs + 1):
        for meter in meters.values():
            meter.reset()
        model.train()
        for chars, tags in train_loader:
            loss = step(model, chars, tags, meters["train_loss"], meters["train_acc"])
            opt.zero_grad()
            loss.backward()
            opt.step()
            sched.step()
        model.eval()
        with torch.no_grad():
            for chars, tags in val_loader:
                step(model, chars, tags, meters["val_loss"], meters["val_acc"])
        print(f"epoch {epoch:2d} | " + " | ".join(str(m) for m in meters.values()))


if __name__ == "__main__":
    main()
