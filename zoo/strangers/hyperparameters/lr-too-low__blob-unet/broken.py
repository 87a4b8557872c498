import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, Dataset

CFG = dict(
    seed=8,
    image_size=32,
    n_train=320,
    n_val=64,
    n_test=128,
    batch_size=16,
    epochs=10,
    optimizer=dict(lr=1e-5, weight_decay=1e-4),
)


class CellImages(Dataset):
    """Round and oval cells on a noisy, unevenly lit background, with their masks."""

    def __init__(self, n, size, seed):
        rng = np.random.default_rng(seed)
        yy, xx = np.mgrid[0:size, 0:size]
        self.images = np.zeros((n, 1, size, size), np.float32)
        self.masks = np.zeros((n, 1, size, size), np.float32)
        for i in range(n):
            mask = np.zeros((size, size), bool)
            for _ in range(rng.integers(2, 5)):
                cy, cx = rng.uniform(5, size - 5, 2)
                a, b = rng.uniform(3.0, 7.0, 2)
                th = rng.uniform(0, np.pi)
                u = (xx - cx) * np.cos(th) + (yy - cy) * np.sin(th)
                v = -(xx - cx) * np.sin(th) + (yy - cy) * np.cos(th)
                mask |= (u / a) ** 2 + (v / b) ** 2 < 1
            light = rng.normal(0, 0.03) * (xx - size / 2) + rng.normal(0, 0.03) * (yy - size / 2)
            self.images[i, 0] = 1.2 * mask - 0.35 + light + rng.normal(0, 0.8, (size, size))
            self.masks[i, 0] = mask

    def __len__(self):
        return len(self.images)

    def __getitem__(self, i):
        return torch.from_numpy(self.images[i]), torch.from_numpy(self.masks[i])


def block(cin, cout):
    return nn.Sequential(
        nn.Conv2d(cin, cout, 3, padding=1), nn.BatchNorm2d(cout), nn.ReLU(inplace=True),
        nn.Conv2d(cout, cout, 3, padding=1), nn.BatchNorm2d(cout), nn.ReLU(inplace=True),
    )


class TinyUNet(nn.Module):
    def __init__(self, c=8):
        super().__init__()
        self.d1, self.d2, self.mid = block(1, c), block(c, 2 * c), block(2 * c, 4 * c)
        self.up2, self.u2 = nn.ConvTranspose2d(4 * c, 2 * c, 2, stride=2), block(4 * c, 2 * c)
        self.up1, self.u1 = nn.ConvTranspose2d(2 * c, c, 2, stride=2), block(2 * c, c)
        self.out = nn.Conv2d(c, 1, 1)

    def forward(self, x):
        a = self.d1(x)
        b = self.d2(F.max_pool2d(a, 2))
        m = self.mid(F.max_pool2d(b, 2))
        b = self.u2(torch.cat([self.up2(m), b], 1))
        a = self.u1(torch.cat([self.up1(b), a], 1))
        return self.out(a)


@torch.no_grad()
def evaluate(net, loader):
    net.eval()
    loss = n = inter = total = 0.0
    for x, m in loader:
        logits = net(x)
        loss += F.binary_cross_entropy_with_logits(logits, m).item() * len(x)
        n += len(x)
        pred = (logits.sigmoid() > 0.5).float()
        inter += (pred * m).sum().item()
        total += (pred.sum() + m.sum()).item()
    return loss / n, 2 * inter / total


def run(cfg):
    torch.manual_seed(cfg["seed"])
    sets = [CellImages(cfg[f"n_{k}"], cfg["image_size"], cfg["seed"] * 10 + j) for j, k in enumerate(("train", "val", "test"))]
    train_dl = DataLoader(sets[0], cfg["batch_size"], shuffle=True)
    val_dl, test_dl = DataLoader(sets[1], 32), DataLoader(sets[2], 32)
    net = TinyUNet()
    opt = torch.optim.AdamW(net.parameters(), **cfg["optimizer"])
    sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, T_max=cfg["epochs"])

    for epoch in range(cfg["epochs"]):
        net.train()
        s = n = 0.0
        for x, m in train_dl:
            opt.zero_grad()
            loss = F.binary_cross_entropy_with_logits(net(x), m)
            loss.backward()
            opt.step()
            s += loss.item() * len(x)
            n += len(x)
        sched.step()
        vl, vd = evaluate(net, val_dl)
        print(f"epoch {epoch}: train_loss={s / n:.4f} val_loss={vl:.4f} val_dice={vd:.4f}")

    tl, td = evaluate(net, test_dl)
    print(f"TEST loss={tl:.4f} dice={td:.4f}")


if __name__ == "__main__":
    run(CFG)
