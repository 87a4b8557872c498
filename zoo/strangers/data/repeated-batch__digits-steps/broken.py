"""Meter-reading digits: step based training on scikit-learn's 8x8 digits."""
import argparse
import logging

import numpy as np
import torch
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split
from torch import nn

logging.basicConfig(level=logging.INFO, format="%(message)s")
log = logging.getLogger("digits")


class BatchSampler:
    """draws `size` rows at random for every training step"""

    def __init__(self, x, y, size, seed):
        self.x, self.y = x, y
        self.size = size
        self.seed = seed

    def draw(self):
        rng = np.random.default_rng(self.seed)
        rows = rng.choice(len(self.x), self.size, replace=False)
        return self.x[rows], self.y[rows]


def prepare(seed):
    digits = load_digits()
    images = digits.images.astype(np.float32)[:, None]
    target = digits.target
    x_fit, x_test, y_fit, y_test = train_test_split(images, target, test_size=0.2, stratify=target, random_state=seed)
    x_fit, x_val, y_fit, y_val = train_test_split(x_fit, y_fit, test_size=0.15, stratify=y_fit, random_state=seed)
    mu, sd = x_fit.mean(), x_fit.std()
    pack = lambda x, y: (torch.from_numpy((x - mu) / sd), torch.from_numpy(y))
    return pack(x_fit, y_fit), pack(x_val, y_val), pack(x_test, y_test)


def network():
    return nn.Sequential(
        nn.Conv2d(1, 16, 3, padding=1), nn.ReLU(),
        nn.Conv2d(16, 32, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2),
        nn.Flatten(), nn.Dropout(0.3),
        nn.Linear(32 * 4 * 4, 10),
    )


def check(net, x, y):
    net.eval()
    with torch.no_grad():
        out = net(x)
        loss = nn.functional.cross_entropy(out, y).item()
        acc = (out.argmax(1) == y).float().mean().item()
    net.train()
    return loss, acc


def main(opts):
    torch.manual_seed(opts.seed)
    torch.set_num_threads(1)
    fit, val, test = prepare(opts.seed)
    sampler = BatchSampler(*fit, size=opts.batch, seed=opts.seed)
    net = network()
    net.train()
    optim = torch.optim.Adam(net.parameters(), lr=opts.lr)
    recent = []
    for step in range(1, opts.steps + 1):
        x, y = sampler.draw()
        optim.zero_grad()
        loss = nn.functional.cross_entropy(net(x), y)
        loss.backward()
        optim.step()
        recent.append(loss.item())
        if step % 100 == 0:
            v_loss, v_acc = check(net, *val)
            log.info("step %4d  train %.4f  val %.4f  val acc %.3f", step, np.mean(recent), v_loss, v_acc)
            recent.clear()
    loss, acc = check(net, *test)
    log.info("test loss %.4f  test acc %.3f", loss, acc)


if __name__ == "__main__":
    p = argparse.ArgumentParser(description=__doc__)
    p.add_argument("--steps", type=int, default=1000)
    p.add_argument("--batch", type=int, default=48)
    p.add_argument("--lr", type=float, default=1e-3)
    p.add_argument("--seed", type=int, default=4)
    main(p.parse_args())
