#!/usr/bin/env python3
"""Shape classifier (disc, ring, square, cross) on 20x20 images; the final score averages over the mirror images."""
import torch
import torch.nn as nn
import torch.nn.functional as F

G = torch.Generator().manual_seed(606)
torch.manual_seed(606)
SIDE = 20
NAMES = ("disc", "ring", "square", "cross")


def draw(n):
    labels = torch.randint(4, (n,), generator=G)
    cx, cy = (torch.rand(2, n, 1, 1, generator=G) * 8 + 6)
    r = torch.rand(n, 1, 1, generator=G) * 2.5 + 3.0
    yy, xx = torch.meshgrid(torch.arange(SIDE).float(), torch.arange(SIDE).float(), indexing="ij")
    dx, dy = xx - cx, yy - cy
    dist = (dx ** 2 + dy ** 2).sqrt()
    cheb = torch.maximum(dx.abs(), dy.abs())
    masks = torch.stack([
        dist < r,
        (dist < r) & (dist > r - 1.8),
        cheb < 0.88 * r,
        (torch.minimum(dx.abs(), dy.abs()) < 1.0) & (cheb < r),
    ], dim=1).float()
    images = masks[torch.arange(n), labels]
    images = images + 0.2 * torch.randn(n, SIDE, SIDE, generator=G)
    return images.unsqueeze(1), labels


def random_flip(batch):
    """Mirror about half of the pictures, each independently, left-right and up-down."""
    for axis in (2, 3):
        coin = torch.rand(len(batch), 1, 1, 1) < 0.5
        batch = torch.where(coin, batch.flip(axis), batch)
    return batch


def mirror_images(batch):
    yield batch
    yield batch.flip(2)
    yield batch.flip(3)
    yield batch.flip((2, 3))


def conv_unit(i, o):
    return nn.Sequential(nn.Conv2d(i, o, 3, padding=1, bias=False), nn.GroupNorm(4, o), nn.SiLU(), nn.MaxPool2d(2))


def make_net():
    return nn.Sequential(conv_unit(1, 12), conv_unit(12, 24), conv_unit(24, 32), nn.Flatten(),
                         nn.Dropout(0.1), nn.Linear(128, len(NAMES)))


@torch.inference_mode()
def class_probs(net, images, views=lambda b: (b,)):
    net.eval()
    return torch.cat([
        torch.stack([net(v).softmax(-1) for v in views(chunk)]).mean(0) for chunk in images.split(200)
    ])


def accuracy(probs, labels):
    return (probs.argmax(-1) == labels).double().mean().item()


def fit(net, images, labels, val, epochs=9, batch=50, peak=8e-3):
    opt = torch.optim.AdamW(net.parameters(), lr=peak / 25, weight_decay=5e-3)
    n_batches = len(labels) // batch
    sched = torch.optim.lr_scheduler.OneCycleLR(opt, peak, epochs=epochs, steps_per_epoch=n_batches)
    for ep in range(epochs):
        net.train()
        order = torch.randperm(len(labels))[: n_batches * batch].view(n_batches, batch)
        tally = 0.0
        for rows in order:
            loss = F.cross_entropy(net(random_flip(images[rows])), labels[rows], label_smoothing=0.05)
            opt.zero_grad()
            loss.backward()
            opt.step()
            sched.step()
            tally += loss.item()
        print(f"epoch {ep + 1}: smoothed loss {tally / n_batches:.3f}, val {accuracy(class_probs(net, val[0]), val[1]):.3f}")


if __name__ == "__main__":
    (xa, ya), (xb, yb), (xc, yc) = draw(2000), draw(400), draw(800)
    shift, scale = xa.mean(), xa.std()
    xa, xb, xc = ((x - shift) / scale for x in (xa, xb, xc))
    net = make_net()
    fit(net, xa, ya, (xb, yb))
    print(f"test single view {accuracy(class_probs(net, xc), yc):.4f}")
    print(f"test four mirrors {accuracy(class_probs(net, xc, mirror_images), yc):.4f}")
