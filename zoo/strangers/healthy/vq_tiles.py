"""Vector-quantised autoencoder for small texture tiles, codebook learned by exponential moving averages.

Reconstruction is judged on tiles that were never trained on, against the mean-tile baseline.
"""
import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F


def make_tiles(n, rng, size=16):
    yy, xx = np.mgrid[0:size, 0:size] / size
    tiles = np.empty((n, 1, size, size), np.float32)
    for i in range(n):
        kind = rng.integers(3)
        ang, freq, ph = rng.uniform(0, np.pi), rng.uniform(1, 2.5), rng.uniform(0, 2 * np.pi)
        u = np.cos(ang) * xx + np.sin(ang) * yy
        if kind == 0:
            t = np.sin(2 * np.pi * freq * u + ph)
        elif kind == 1:
            cx, cy, r = rng.uniform(0.25, 0.75, 2).tolist() + [rng.uniform(0.15, 0.35)]
            t = np.where((xx - cx) ** 2 + (yy - cy) ** 2 < r * r, 1.0, -1.0)
        else:
            t = np.where(u > rng.uniform(0.2, 0.8), 1.0, -1.0)
        tiles[i, 0] = 0.8 * t + rng.normal(0, 0.05, t.shape)
    return torch.from_numpy(tiles)


class EMACodebook(nn.Module):
    def __init__(self, n_codes, dim, decay=0.97, eps=1e-5):
        super().__init__()
        self.decay, self.eps = decay, eps
        self.register_buffer("codes", torch.randn(n_codes, dim))
        self.register_buffer("count", torch.ones(n_codes))
        self.register_buffer("total", self.codes.clone())

    def forward(self, z):
        b, d, h, w = z.shape
        flat = z.permute(0, 2, 3, 1).reshape(-1, d)
        with torch.no_grad():
            idx = torch.cdist(flat, self.codes).argmin(1)
            if self.training:
                self._update(flat, idx)
        q = self.codes[idx].view(b, h, w, d).permute(0, 3, 1, 2)
        commit = F.mse_loss(z, q.detach())
        return z + (q - z).detach(), commit, idx

    def _update(self, flat, idx):
        hot = F.one_hot(idx, len(self.codes)).to(flat)
        self.count.mul_(self.decay).add_(hot.sum(0), alpha=1 - self.decay)
        self.total.mul_(self.decay).add_(hot.T @ flat, alpha=1 - self.decay)
        n = self.count.sum()
        smooth = (self.count + self.eps) / (n + len(self.count) * self.eps) * n
        self.codes.copy_(self.total / smooth[:, None])
        dead = self.count < 0.05
        if dead.any():                                   # revive unused codes at random encoder outputs
            pick = flat[torch.randint(len(flat), (int(dead.sum()),))]
            self.codes[dead], self.total[dead], self.count[dead] = pick, pick, 1.0


class TileVQ(nn.Module):
    def __init__(self, width=24, dim=12, n_codes=96):
        super().__init__()
        self.enc = nn.Sequential(nn.Conv2d(1, width, 4, 2, 1), nn.ReLU(), nn.Conv2d(width, 2 * width, 4, 2, 1), nn.ReLU(),
                                 nn.Conv2d(2 * width, dim, 1))
        self.vq = EMACodebook(n_codes, dim)
        self.dec = nn.Sequential(nn.Conv2d(dim, 2 * width, 3, 1, 1), nn.ReLU(),
                                 nn.ConvTranspose2d(2 * width, width, 4, 2, 1), nn.ReLU(),
                                 nn.ConvTranspose2d(width, 1, 4, 2, 1))

    def forward(self, x):
        zq, commit, idx = self.vq(self.enc(x))
        return self.dec(zq), commit, idx


@torch.no_grad()
def evaluate(net, tiles):
    net.eval()
    rec, _, idx = net(tiles)
    share = torch.bincount(idx, minlength=len(net.vq.codes)).float()
    share = share[share > 0] / share.sum()
    return F.mse_loss(rec, tiles).item(), torch.exp(-(share * share.log()).sum()).item()


def main():
    torch.manual_seed(4)
    rng = np.random.default_rng(4)
    train, val, test = make_tiles(2500, rng), make_tiles(400, rng), make_tiles(600, rng)
    net = TileVQ()
    opt = torch.optim.Adam(net.parameters(), lr=2e-3)
    bs, steps = 64, 900
    for step in range(1, steps + 1):
        net.train()
        x = train[torch.randint(len(train), (bs,))]
        rec, commit, _ = net(x)
        loss = F.mse_loss(rec, x) + 0.25 * commit
        opt.zero_grad()
        loss.backward()
        opt.step()
        if step == 700:
            for g in opt.param_groups:
                g["lr"] *= 0.2
        if step % 150 == 0:
            mse, perp = evaluate(net, val)
            print(f"{step:4d}  loss {loss.item():.4f}  val mse {mse:.4f}  code perplexity {perp:.1f}")
    mse, perp = evaluate(net, test)
    base = F.mse_loss(train.mean(0, keepdim=True).expand_as(test), test).item()
    print(f"test mse {mse:.4f} (mean tile {base:.4f}), explained {1 - mse / base:.3f}, perplexity {perp:.1f}")


if __name__ == "__main__":
    main()
