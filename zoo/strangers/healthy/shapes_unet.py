"""Cell-like blobs on an uneven background: U-Net segmentation with BCE + soft Dice."""
import argparse
import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F


def render(n, size, seed):
    rng = np.random.default_rng(seed)
    yy, xx = np.mgrid[0:size, 0:size].astype(np.float32)
    imgs = np.empty((n, 1, size, size), np.float32)
    masks = np.zeros((n, 1, size, size), np.float32)
    for i in range(n):
        slope = rng.normal(0, 0.25, 2)
        bg = slope[0] * (xx / size - 0.5) + slope[1] * (yy / size - 0.5) + rng.normal(0, 0.1)
        for _ in range(rng.integers(2, 5)):
            cx, cy = rng.uniform(4, size - 4, 2)
            a, b = rng.uniform(2.5, 5.5, 2)
            th = rng.uniform(0, np.pi)
            u = (xx - cx) * np.cos(th) + (yy - cy) * np.sin(th)
            v = -(xx - cx) * np.sin(th) + (yy - cy) * np.cos(th)
            masks[i, 0][(u / a) ** 2 + (v / b) ** 2 <= 1] = 1
        texture = 0.6 + 0.15 * rng.standard_normal((size, size))
        imgs[i, 0] = bg + masks[i, 0] * texture + rng.normal(0, 0.2, (size, size))
    return torch.from_numpy(imgs), torch.from_numpy(masks)


def double_conv(cin, cout):
    return nn.Sequential(
        nn.Conv2d(cin, cout, 3, padding=1), nn.GroupNorm(4, cout), nn.ReLU(inplace=True),
        nn.Conv2d(cout, cout, 3, padding=1), nn.GroupNorm(4, cout), nn.ReLU(inplace=True))


class UNet(nn.Module):
    def __init__(self, c=8, prior=0.25):
        super().__init__()
        self.d1, self.d2, self.mid = double_conv(1, c), double_conv(c, 2 * c), double_conv(2 * c, 4 * c)
        self.up2, self.u2 = nn.ConvTranspose2d(4 * c, 2 * c, 2, 2), double_conv(4 * c, 2 * c)
        self.up1, self.u1 = nn.ConvTranspose2d(2 * c, c, 2, 2), double_conv(2 * c, c)
        self.head = nn.Conv2d(c, 1, 1)
        # start from the share of foreground pixels instead of one half
        nn.init.constant_(self.head.bias, float(np.log(prior / (1 - prior))))

    def forward(self, x):
        a = self.d1(x)
        b = self.d2(F.max_pool2d(a, 2))
        m = self.mid(F.max_pool2d(b, 2))
        y = self.u2(torch.cat([b, self.up2(m)], 1))
        y = self.u1(torch.cat([a, self.up1(y)], 1))
        return self.head(y)


def dice_loss(logits, target, smooth=1.0):
    p = logits.sigmoid().flatten(1)
    t = target.flatten(1)
    inter = (p * t).sum(1)
    return 1 - ((2 * inter + smooth) / (p.sum(1) + t.sum(1) + smooth)).mean()


def criterion(logits, target):
    # both terms take the logits; each applies its own sigmoid
    return F.binary_cross_entropy_with_logits(logits, target) + dice_loss(logits, target)


@torch.no_grad()
def score(model, x, y, batch=64):
    model.eval()
    loss, inter, union = 0.0, 0.0, 0.0
    for xb, yb in zip(x.split(batch), y.split(batch)):
        z = model(xb)
        loss += criterion(z, yb).item() * len(xb)
        hard = z > 0                                 # logit 0 is probability 0.5
        truth = yb > 0.5
        inter += (hard & truth).sum().item()
        union += (hard | truth).sum().item()
    return loss / len(x), inter / union              # IoU over all pixels of the set


def main(a):
    torch.manual_seed(a.seed)
    x_tr, y_tr = render(a.n, 24, seed=100)
    x_va, y_va = render(100, 24, seed=200)
    x_te, y_te = render(150, 24, seed=300)
    m, s = x_tr.mean(), x_tr.std()
    x_tr, x_va, x_te = ((t - m) / s for t in (x_tr, x_va, x_te))
    fg = y_tr.mean().item()
    print(f"foreground share: {fg:.3f}")

    model = UNet(prior=fg)
    opt = torch.optim.Adam(model.parameters(), lr=a.lr)
    sched = torch.optim.lr_scheduler.ReduceLROnPlateau(opt, mode="min", factor=0.3, patience=1, threshold=2e-2, min_lr=1e-4)
    for epoch in range(a.epochs):
        model.train()
        tot = 0.0
        for idx in torch.randperm(len(x_tr)).split(a.batch):
            xb, yb = x_tr[idx], y_tr[idx]
            # flips, the same for the image and its mask
            if torch.rand(()) < 0.5:
                xb, yb = xb.flip(-1), yb.flip(-1)
            if torch.rand(()) < 0.5:
                xb, yb = xb.flip(-2), yb.flip(-2)
            opt.zero_grad()
            loss = criterion(model(xb), yb)
            loss.backward()
            opt.step()
            tot += loss.item() * len(idx)
        vl, viou = score(model, x_va, y_va)
        sched.step(vl)
        print(f"{epoch:3d}  lr {opt.param_groups[0]['lr']:.1e}  train {tot / len(x_tr):.4f}  val {vl:.4f}  IoU {viou:.4f}")
    tl, tiou = score(model, x_te, y_te)
    print(f"test loss {tl:.4f}  IoU {tiou:.4f}")


if __name__ == "__main__":
    p = argparse.ArgumentParser(description=__doc__)
    p.add_argument("--n", type=int, default=400)
    p.add_argument("--epochs", type=int, default=20)
    p.add_argument("--batch", type=int, default=16)
    p.add_argument("--lr", type=float, default=6e-3)
    p.add_argument("--seed", type=int, default=0)
    main(p.parse_args())
