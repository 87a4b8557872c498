"""SimCLR in miniature: contrastive features of 8x8 digits, judged by a linear probe."""
import argparse

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
from sklearn.datasets import load_digits
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split


def two_views(x):
    return augment(x), augment(x)


def augment(x):
    n = len(x)
    # random shift by up to one pixel, random gain, noise, and a small erased square
    padded = F.pad(x, (1, 1, 1, 1), value=x.min().item())
    dx, dy = torch.randint(0, 3, (2, n))
    rows = torch.arange(8)[None] + dy[:, None]
    cols = torch.arange(8)[None] + dx[:, None]
    out = padded[torch.arange(n)[:, None, None], 0, rows[:, :, None], cols[:, None, :]]
    out = out * torch.empty(n, 1, 1).uniform_(0.8, 1.2) + 0.15 * torch.randn_like(out)
    r, c = torch.randint(0, 7, (2, n))
    grid = torch.arange(8)
    hole = ((grid[None, :, None] - r[:, None, None]).clamp(0, 1) == (grid[None, :, None] - r[:, None, None])) & \
           ((grid[None, None, :] - c[:, None, None]).clamp(0, 1) == (grid[None, None, :] - c[:, None, None]))
    return out.masked_fill(hole, 0.0).unsqueeze(1)


class Backbone(nn.Module):
    def __init__(self, dim=96):
        super().__init__()
        self.features = nn.Sequential(
            nn.Conv2d(1, 32, 3, padding=1), nn.ReLU(),
            nn.Conv2d(32, 48, 3, stride=2, padding=1), nn.ReLU(),
            nn.Flatten(), nn.Linear(48 * 16, dim), nn.ReLU())
        self.projector = nn.Sequential(nn.Linear(dim, 64), nn.ReLU(), nn.Linear(64, 32))

    def forward(self, x):
        return F.normalize(self.projector(self.features(x)), dim=-1)


def nt_xent(za, zb, temperature):
    z = torch.cat([za, zb])
    sim = z @ z.T / temperature
    sim.fill_diagonal_(float("-inf"))
    n = len(za)
    partner = torch.cat([torch.arange(n, 2 * n), torch.arange(n)])
    return F.cross_entropy(sim, partner)


@torch.no_grad()
def embed(net, x):
    net.eval()
    return net.features(x).numpy()


def main():
    cli = argparse.ArgumentParser()
    cli.add_argument("--epochs", type=int, default=30)
    cli.add_argument("--batch", type=int, default=256)
    cli.add_argument("--temperature", type=float, default=0.3)
    cli.add_argument("--seed", type=int, default=4)
    cfg = cli.parse_args()
    torch.manual_seed(cfg.seed)
    np.random.seed(cfg.seed)

    images, labels = load_digits(return_X_y=True)
    x_tr, x_te, y_tr, y_te = train_test_split(images, labels, test_size=0.3, stratify=labels, random_state=cfg.seed)
    mean, std = x_tr.mean(), x_tr.std()
    x_tr, x_te = (torch.tensor((a - mean) / std, dtype=torch.float32).view(-1, 1, 8, 8) for a in (x_tr, x_te))

    net = Backbone()
    opt = torch.optim.AdamW(net.parameters(), lr=2e-3, weight_decay=1e-4)
    sched = torch.optim.lr_scheduler.OneCycleLR(opt, max_lr=2e-3, epochs=cfg.epochs, steps_per_epoch=len(x_tr) // cfg.batch)
    for epoch in range(cfg.epochs):
        net.train()
        losses = []
        # a smaller last batch would have fewer negatives, so it is left out; the order is new every epoch
        for idx in torch.randperm(len(x_tr))[:len(x_tr) // cfg.batch * cfg.batch].split(cfg.batch):
            a, b = two_views(x_tr[idx])
            loss = nt_xent(net(a), net(b), cfg.temperature)
            opt.zero_grad()
            loss.backward()
            opt.step()
            sched.step()
            losses.append(loss.item())
        if epoch % 3 == 0 or epoch == cfg.epochs - 1:
            print(f"epoch {epoch:2d}  nt-xent {np.mean(losses):.4f}  (chance {np.log(2 * cfg.batch - 1):.2f})")

    probe = LogisticRegression(max_iter=2000, C=0.5).fit(embed(net, x_tr), y_tr)
    print(f"linear probe on held-out digits: {probe.score(embed(net, x_te), y_te):.3f}")


if __name__ == "__main__":
    main()
