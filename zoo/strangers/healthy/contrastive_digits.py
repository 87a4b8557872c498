"""SimCLR-like pretraining on digit images, judged by a linear probe on frozen features."""
import argparse
import math

import torch
import torch.nn as nn
import torch.nn.functional as F
from sklearn.datasets import load_digits
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split


def two_views(x, gen):
    """Random shift by up to one pixel, small rotation and scaling, pixel noise: drawn anew for each view."""
    def one():
        n = len(x)
        ang = (torch.rand(n, generator=gen) - 0.5) * math.radians(40)
        zoom = 1 + (torch.rand(n, generator=gen) - 0.5) * 0.3
        shift = (torch.rand(n, 2, generator=gen) - 0.5) * 0.4
        c, s = zoom * ang.cos(), zoom * ang.sin()
        theta = torch.stack([torch.stack([c, -s, shift[:, 0]], 1), torch.stack([s, c, shift[:, 1]], 1)], 1)
        grid = F.affine_grid(theta, x.shape, align_corners=False)
        warped = F.grid_sample(x, grid, padding_mode="border", align_corners=False)
        return warped + 0.1 * torch.randn(warped.shape, generator=gen)
    return one(), one()


def nt_xent(za, zb, tau):
    """Each view must find its partner among the 2N-1 others."""
    z = F.normalize(torch.cat([za, zb]), dim=1)
    n = len(za)
    sim = z @ z.t() / tau
    sim = sim.masked_fill(torch.eye(2 * n, dtype=torch.bool), float("-inf"))
    partner = torch.arange(2 * n).roll(n)
    return F.cross_entropy(sim, partner)


class Encoder(nn.Module):
    def __init__(self, dim=64, proj=32):
        super().__init__()
        self.trunk = nn.Sequential(
            nn.Conv2d(1, 16, 3, padding=1), nn.ReLU(),
            nn.Conv2d(16, 32, 3, stride=2, padding=1), nn.ReLU(),
            nn.Flatten(), nn.Linear(32 * 16, dim), nn.ReLU(),
        )
        self.projector = nn.Sequential(nn.Linear(dim, dim), nn.ReLU(), nn.Linear(dim, proj))

    def forward(self, x):
        return self.projector(self.trunk(x))


@torch.no_grad()
def embed(net, x):
    net.eval()
    return net.trunk(x).numpy()


def main(cfg):
    torch.manual_seed(cfg.seed)
    gen = torch.Generator().manual_seed(cfg.seed)
    x, y = load_digits(return_X_y=True)
    x_tr, x_te, y_tr, y_te = train_test_split(x, y, test_size=0.25, stratify=y, random_state=cfg.seed)
    m, s = x_tr.mean(), x_tr.std()
    x_tr, x_te = (torch.tensor((v - m) / s, dtype=torch.float32).view(-1, 1, 8, 8) for v in (x_tr, x_te))

    net = Encoder()
    opt = torch.optim.AdamW(net.parameters(), lr=cfg.lr, weight_decay=1e-4)
    steps = cfg.epochs * (len(x_tr) // cfg.batch)
    sched = torch.optim.lr_scheduler.LambdaLR(
        opt, lambda k: min(1.0, (k + 1) / 20) * (0.02 + 0.98 * 0.5 * (1 + math.cos(math.pi * k / steps))))
    for epoch in range(1, cfg.epochs + 1):
        net.train()
        history = []
        # labels are never touched here; incomplete last batch dropped so the number of negatives stays the same
        for idx in torch.randperm(len(x_tr), generator=gen)[: len(x_tr) // cfg.batch * cfg.batch].view(-1, cfg.batch):
            a, b = two_views(x_tr[idx], gen)
            loss = nt_xent(net(a), net(b), cfg.tau)
            opt.zero_grad()
            loss.backward()
            opt.step()
            sched.step()
            history.append(loss.item())
        if epoch % 5 == 0:
            print(f"epoch {epoch:3d}  contrastive loss {sum(history) / len(history):.4f}  (chance {math.log(2 * cfg.batch - 1):.2f})")

    probe = LogisticRegression(max_iter=2000, C=1.0).fit(embed(net, x_tr), y_tr)
    print(f"linear probe: test accuracy {probe.score(embed(net, x_te), y_te):.3f}")


if __name__ == "__main__":
    p = argparse.ArgumentParser()
    p.add_argument("--epochs", type=int, default=35)
    p.add_argument("--batch", type=int, default=128)
    p.add_argument("--lr", type=float, default=3e-3)
    p.add_argument("--tau", type=float, default=0.2)
    p.add_argument("--seed", type=int, default=9)
    main(p.parse_args())
