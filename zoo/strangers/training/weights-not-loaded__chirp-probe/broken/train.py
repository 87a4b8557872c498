"""Stage 1: pretrain on the source vessels.  Stage 2: linear probe on the new vessels."""
import argparse
import logging
import os
import tempfile

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset

from nets import Classifier
from signals import SOURCE, TARGET, corpus

log = logging.getLogger("probe")


def loader(xy, bs, shuffle):
    x, y = map(torch.from_numpy, xy)
    return DataLoader(TensorDataset(x, y), batch_size=bs, shuffle=shuffle)


@torch.no_grad()
def accuracy(net, dl):
    net.eval()
    hits = total = 0
    for x, y in dl:
        hits += (net(x).argmax(1) == y).sum().item()
        total += len(y)
    return hits / total


def fit(net, params, dl, epochs, lr, tag):
    opt = torch.optim.Adam(params, lr=lr)
    sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, T_max=epochs)
    for epoch in range(epochs):
        net.train()
        running = seen = 0
        for x, y in dl:
            opt.zero_grad()
            loss = F.cross_entropy(net(x), y)
            loss.backward()
            opt.step()
            running += loss.item() * len(y)
            seen += len(y)
        sched.step()
        log.info("%s epoch %02d loss %.4f", tag, epoch, running / seen)


def pretrain(args, path):
    net = nn.DataParallel(Classifier(len(SOURCE)))
    fit(net, net.parameters(), loader(corpus(SOURCE, 160, seed=1), 64, True), args.pre_epochs, 3e-3, "pretrain")
    log.info("pretrain val acc %.3f", accuracy(net, loader(corpus(SOURCE, 40, seed=2), 256, False)))
    torch.save({"model": net.state_dict(), "classes": len(SOURCE)}, path)


def load_encoder(net, path):
    blob = torch.load(path, map_location="cpu")
    state = {k: v for k, v in blob["model"].items() if "head" not in k}
    net.load_state_dict(state, strict=False)
    return net


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--pre-epochs", type=int, default=10)
    ap.add_argument("--probe-epochs", type=int, default=20)
    ap.add_argument("--seed", type=int, default=11)
    args = ap.parse_args()
    logging.basicConfig(level=logging.INFO, format="%(message)s")
    torch.manual_seed(args.seed)
    np.random.seed(args.seed)

    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "source.pt")
        pretrain(args, path)
        net = load_encoder(Classifier(len(TARGET)), path)

    # linear probe: the encoder stays as it was pretrained, only the head learns
    net.encoder.requires_grad_(False)
    fit(net, net.head.parameters(), loader(corpus(TARGET, 100, seed=3), 50, True), args.probe_epochs, 1e-2, "probe")
    log.info("held-out probe accuracy %.3f", accuracy(net, loader(corpus(TARGET, 100, seed=4), 256, False)))


if __name__ == "__main__":
    main()
