"""GRU tagger on a nested-bracket language: at every step predict the current depth."""
import logging
import math
import sys

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset

logging.basicConfig(stream=sys.stdout, level=logging.INFO, format="[%(levelname)s] %(message)s")
logger = logging.getLogger(__name__)

config = {
    "seed": 3,
    "data": {"length": 24, "max_depth": 7, "n_train": 2000, "n_val": 400, "n_test": 400},
    "model": {"emb": 16, "hidden": 48},
    "train": {"epochs": 16, "batch_size": 64, "grad_clip": 1.0},
    "optim": {"lr": 6e-3, "weight_decay": 1e-4},
    "schedule": {"warmup_epochs": 1, "decay_epochs": 3, "floor": 1e-3},
}


def make_split(n, length, max_depth, rng):
    tokens = np.zeros((n, length), dtype=np.int64)
    depth = np.zeros((n, length), dtype=np.int64)
    for i in range(n):
        d = 0
        for t in range(length):
            r = rng.random()
            if r < 0.3:
                tok = 0
            elif r < 0.65:
                tok = 1
                d = min(d + 1, max_depth)
            else:
                tok = 2
                d = max(d - 1, 0)
            tokens[i, t] = tok
            depth[i, t] = d
    return TensorDataset(torch.from_numpy(tokens), torch.from_numpy(depth))


class Tagger(nn.Module):
    def __init__(self, vocab, n_tags, emb, hidden):
        super().__init__()
        self.emb = nn.Embedding(vocab, emb)
        self.gru = nn.GRU(emb, hidden, batch_first=True)
        self.out = nn.Linear(hidden, n_tags)

    def forward(self, tokens):
        states, _ = self.gru(self.emb(tokens))
        return self.out(states)


def lr_factor(epoch, warmup_epochs, decay_epochs, floor):
    if epoch < warmup_epochs:
        return (epoch + 1) / (warmup_epochs + 1)
    progress = min(1.0, (epoch - warmup_epochs) / max(1, decay_epochs - warmup_epochs))
    return floor + (1.0 - floor) * 0.5 * (1.0 + math.cos(math.pi * progress))


class Experiment:
    def __init__(self, cfg):
        self.cfg = cfg
        torch.manual_seed(cfg["seed"])
        torch.set_num_threads(1)
        rng = np.random.default_rng(cfg["seed"])
        d = cfg["data"]
        sets = [make_split(d[k], d["length"], d["max_depth"], rng) for k in ("n_train", "n_val", "n_test")]
        gen = torch.Generator().manual_seed(cfg["seed"])
        bs = cfg["train"]["batch_size"]
        self.train_dl = DataLoader(sets[0], batch_size=bs, shuffle=True, generator=gen)
        self.val_dl = DataLoader(sets[1], batch_size=250)
        self.test_dl = DataLoader(sets[2], batch_size=250)
        self.model = Tagger(3, d["max_depth"] + 1, **cfg["model"])
        self.opt = torch.optim.AdamW(self.model.parameters(), **cfg["optim"])
        self.sched = torch.optim.lr_scheduler.LambdaLR(self.opt, lambda e: lr_factor(e, **cfg["schedule"]))

    def loss(self, tokens, depth):
        return F.cross_entropy(self.model(tokens).flatten(0, 1), depth.flatten())

    def train_epoch(self):
        self.model.train()
        total, n = 0.0, 0
        for tokens, depth in self.train_dl:
            loss = self.loss(tokens, depth)
            self.opt.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(self.model.parameters(), self.cfg["train"]["grad_clip"])
            self.opt.step()
            total += loss.item() * len(tokens)
            n += len(tokens)
        self.sched.step()
        return total / n

    @torch.no_grad()
    def accuracy(self, dl):
        self.model.eval()
        hit, n = 0, 0
        for tokens, depth in dl:
            hit += (self.model(tokens).argmax(-1) == depth).sum().item()
            n += depth.numel()
        return hit / n

    def run(self):
        for epoch in range(self.cfg["train"]["epochs"]):
            train_loss = self.train_epoch()
            logger.info("epoch %02d  train loss %.4f  val acc %.4f", epoch, train_loss, self.accuracy(self.val_dl))
        logger.info("test accuracy per position: %.4f", self.accuracy(self.test_dl))


if __name__ == "__main__":
    Experiment(config).run()
