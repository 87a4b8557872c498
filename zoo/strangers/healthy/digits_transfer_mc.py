"""Few-shot transfer on scikit-learn's digits.

Stage 1: train a small batch-norm CNN on the digits 0-4.
Stage 2: keep it as a fixed feature extractor (weights and running statistics) and fit a
         Bayesian-ish head on 40 images of each of the digits 5-9.
At test time the head's dropout keeps sampling; 50 draws are averaged (MC dropout).
"""
from dataclasses import dataclass

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split


@dataclass
class Config:
    seed: int = 12
    base_epochs: int = 8
    head_steps: int = 600
    shots: int = 40
    p_drop: float = 0.5
    mc_samples: int = 50


class Backbone(nn.Module):
    def __init__(self):
        super().__init__()
        self.c1 = nn.Conv2d(1, 24, 3, padding=1)
        self.b1 = nn.BatchNorm2d(24)
        self.c2 = nn.Conv2d(24, 48, 3, padding=1)
        self.b2 = nn.BatchNorm2d(48)

    def forward(self, x):
        x = F.relu(self.b1(self.c1(x)))
        x = F.max_pool2d(F.relu(self.b2(self.c2(x))), 2)
        return F.adaptive_avg_pool2d(x, 4).flatten(1)


class MCDropout(nn.Dropout):
    """Dropout that samples in every mode."""

    def forward(self, x):
        return F.dropout(x, self.p, training=True)


def make_head(n_in, n_out, p):
    return nn.Sequential(MCDropout(p), nn.Linear(n_in, 128), nn.ReLU(), MCDropout(p), nn.Linear(128, n_out))


def load(cfg):
    digits = load_digits()
    x = torch.tensor(digits.images, dtype=torch.float32).unsqueeze(1) / 16.0
    y = torch.tensor(digits.target)
    low, high = torch.where(y < 5)[0].numpy(), torch.where(y >= 5)[0].numpy()
    low_tr, low_te = train_test_split(low, test_size=0.25, stratify=y[low], random_state=cfg.seed)
    high_tr, high_te = train_test_split(high, train_size=5 * cfg.shots, stratify=y[high], random_state=cfg.seed)
    return {"low_train": (x[low_tr], y[low_tr]), "low_test": (x[low_te], y[low_te]),
            "high_train": (x[high_tr], y[high_tr] - 5), "high_test": (x[high_te], y[high_te] - 5)}


def train_base(cfg, data):
    backbone, top = Backbone(), nn.Linear(48 * 16, 5)
    opt = torch.optim.AdamW([*backbone.parameters(), *top.parameters()], lr=2e-3)
    x, y = data["low_train"]
    for epoch in range(cfg.base_epochs):
        backbone.train()
        losses = []
        for idx in torch.randperm(len(x)).split(32):
            loss = F.cross_entropy(top(backbone(x[idx])), y[idx])
            opt.zero_grad()
            loss.backward()
            opt.step()
            losses.append(loss.item())
        print(f"  base epoch {epoch}  loss {np.mean(losses):.4f}")
    backbone.eval()
    with torch.no_grad():
        xt, yt = data["low_test"]
        print(f"  base accuracy on held-out 0-4: {(top(backbone(xt)).argmax(1) == yt).float().mean():.3f}")
    return backbone


def fit_head(cfg, backbone, data):
    backbone.requires_grad_(False)
    backbone.eval()                 # running statistics stay those of stage 1
    head = make_head(48 * 16, 5, cfg.p_drop)
    opt = torch.optim.AdamW(head.parameters(), lr=1e-3, weight_decay=0.05)
    x, y = data["high_train"]
    for step in range(cfg.head_steps):
        idx = torch.randint(len(x), (32,))
        with torch.no_grad():
            feats = backbone(x[idx])
        loss = F.cross_entropy(head(feats), y[idx], label_smoothing=0.05)
        opt.zero_grad()
        loss.backward()
        opt.step()
        if (step + 1) % 150 == 0:
            print(f"  head step {step + 1}  loss {loss.item():.4f}")
    return head


@torch.inference_mode()
def mc_predict(cfg, backbone, head, x):
    feats = backbone(x)
    draws = torch.stack([head(feats).softmax(-1) for _ in range(cfg.mc_samples)])
    mean = draws.mean(0)
    entropy = -(mean * mean.clamp_min(1e-12).log()).sum(-1)
    return mean, entropy


def main():
    cfg = Config()
    torch.manual_seed(cfg.seed)
    data = load(cfg)
    print("stage 1")
    backbone = train_base(cfg, data)
    print("stage 2")
    head = fit_head(cfg, backbone, data)

    x, y = data["high_test"]
    mean, entropy = mc_predict(cfg, backbone, head, x)
    right = mean.argmax(1) == y
    print(f"test accuracy on 5-9: {right.float().mean():.3f} ({len(y)} images)")
    print(f"mean predictive entropy: right {entropy[right].mean():.3f}, wrong {entropy[~right].mean():.3f}")


if __name__ == "__main__":
    main()
