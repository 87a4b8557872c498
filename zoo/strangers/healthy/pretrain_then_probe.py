"""Stage 1: denoising autoencoder on digits. Stage 2: frozen encoder, linear probe.

Stage 2 accumulates gradients over small batches and applies the remainder at the epoch's end.
"""
import copy
import logging
import sys

import numpy as np
import torch
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split
from torch import nn

logging.basicConfig(stream=sys.stdout, level=logging.INFO, format="%(name)s: %(message)s")
SEED = 77


class DAE(nn.Module):
    def __init__(self):
        super().__init__()
        self.encoder = nn.Sequential(nn.Linear(64, 128), nn.ReLU(), nn.Linear(128, 64))
        self.decoder = nn.Sequential(nn.ReLU(), nn.Linear(64, 128), nn.ReLU(), nn.Linear(128, 64))

    def forward(self, x):
        return self.decoder(self.encoder(x))


def stage_one(x, xv, epochs=40):
    log = logging.getLogger("pretrain")
    dae = DAE()
    opt = torch.optim.Adam(dae.parameters(), lr=1e-3)
    best, best_state = float("inf"), None
    noise_val = 0.5 * torch.randn_like(xv)
    for epoch in range(epochs):
        dae.train()
        total = 0.0
        for idx in torch.randperm(len(x)).split(64):
            clean = x[idx]
            loss = nn.functional.mse_loss(dae(clean + 0.5 * torch.randn_like(clean)), clean)
            opt.zero_grad()
            loss.backward()
            opt.step()
            total += loss.detach() * len(idx)
        dae.eval()
        with torch.no_grad():
            val = nn.functional.mse_loss(dae(xv + noise_val), xv).item()
        if val < best:
            best, best_state = val, copy.deepcopy(dae.state_dict())
        if epoch % 5 == 4:
            log.info("epoch %d  denoising mse %.4f  val %.4f", epoch + 1, total.item() / len(x), val)
    dae.load_state_dict(best_state)
    return dae.encoder


def stage_two(encoder, x, y, xv, yv, epochs=40, micro=16, accumulate=4):
    log = logging.getLogger("probe")
    encoder.requires_grad_(False).eval()
    head = nn.Linear(64, 10)
    opt = torch.optim.Adam(head.parameters(), lr=5e-3, weight_decay=1e-4)
    for epoch in range(epochs):
        head.train()
        total = 0.0
        parts = torch.randperm(len(x)).split(micro)
        for start in range(0, len(parts), accumulate):
            group = parts[start:start + accumulate]
            size = sum(len(p) for p in group)
            opt.zero_grad()
            for idx in group:
                with torch.no_grad():
                    feats = encoder(x[idx])
                loss = nn.functional.cross_entropy(head(feats), y[idx], reduction="sum")
                (loss / size).backward()
                total += loss.item()
            opt.step()
        if epoch % 5 == 4:
            log.info("epoch %d  loss %.4f  val acc %.3f", epoch + 1, total / len(x), accuracy(encoder, head, xv, yv))
    return head


@torch.no_grad()
def accuracy(encoder, head, x, y):
    head.eval()
    return (head(encoder(x)).argmax(1) == y).float().mean().item()


def main():
    torch.manual_seed(SEED)
    np.random.seed(SEED)
    X, y = load_digits(return_X_y=True)
    X, X_te, y, y_te = train_test_split(X, y, test_size=0.2, stratify=y, random_state=SEED)
    X_tr, X_va, y_tr, y_va = train_test_split(X, y, test_size=0.2, stratify=y, random_state=SEED)
    mu, sd = X_tr.mean(), X_tr.std()
    X_tr, X_va, X_te = (torch.tensor((a - mu) / sd, dtype=torch.float32) for a in (X_tr, X_va, X_te))
    y_tr, y_va, y_te = map(torch.as_tensor, (y_tr, y_va, y_te))

    encoder = stage_one(X_tr, X_va)
    head = stage_two(encoder, X_tr, y_tr, X_va, y_va)
    logging.getLogger("test").info("accuracy %.3f", accuracy(encoder, head, X_te, y_te))


if __name__ == "__main__":
    main()
