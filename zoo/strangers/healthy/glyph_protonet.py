"""Prototypical network, 5-way 1-/5-shot, on procedurally drawn glyph alphabets."""
import argparse
import logging
import time

import numpy as np
import torch
from torch import nn
import torch.nn.functional as F

log = logging.getLogger("proto")


def draw_alphabet(n_classes, per_class, size, rng):
    """Each class is a set of strokes; instances are jittered renderings of it."""
    yy, xx = np.mgrid[0:size, 0:size] / (size - 1)
    out = np.empty((n_classes, per_class, 1, size, size), np.float32)
    t = np.linspace(0, 1, 24)[:, None]
    for c in range(n_classes):
        strokes = rng.uniform(0.1, 0.9, (3, 3, 2))
        for k in range(per_class):
            s = strokes + rng.normal(0, 0.035, strokes.shape)
            ang = rng.normal(0, 0.12)
            rot = np.array([[np.cos(ang), -np.sin(ang)], [np.sin(ang), np.cos(ang)]])
            s = (s - 0.5) @ rot.T + 0.5 + rng.normal(0, 0.03, 2)
            img = np.zeros((size, size))
            for a, b, d in s:
                pts = (1 - t) ** 2 * a + 2 * t * (1 - t) * b + t**2 * d
                dist = ((xx[None] - pts[:, 0, None, None]) ** 2 + (yy[None] - pts[:, 1, None, None]) ** 2).min(0)
                img = np.maximum(img, np.exp(-dist / 0.0025))
            out[c, k, 0] = img + rng.normal(0, 0.08, img.shape)
    return torch.from_numpy(out)


def block(i, o):
    return nn.Sequential(nn.Conv2d(i, o, 3, padding=1), nn.BatchNorm2d(o), nn.ReLU(), nn.MaxPool2d(2))


class Encoder(nn.Module):
    def __init__(self, width=16):
        super().__init__()
        self.body = nn.Sequential(block(1, width), block(width, width), block(width, width))

    def forward(self, x):
        return self.body(x).flatten(1)


def episode(bank, way, shot, query, gen):
    classes = torch.randperm(bank.shape[0], generator=gen)[:way]
    sup, qry = [], []
    for c in classes:
        idx = torch.randperm(bank.shape[1], generator=gen)[: shot + query]
        sup.append(bank[c, idx[:shot]])
        qry.append(bank[c, idx[shot:]])
    labels = torch.arange(way).repeat_interleave(query)
    return torch.cat(sup), torch.cat(qry), labels


def score(enc, sup, qry, way, shot):
    z = enc(torch.cat([sup, qry]))
    protos = z[: way * shot].view(way, shot, -1).mean(1)
    return -torch.cdist(z[way * shot:], protos).pow(2) / z.shape[1] ** 0.5


@torch.no_grad()
def assess(enc, bank, shot, episodes, seed):
    enc.eval()
    gen = torch.Generator().manual_seed(seed)
    accs = []
    for _ in range(episodes):
        s, q, y = episode(bank, 5, shot, 10, gen)
        accs.append((score(enc, s, q, 5, shot).argmax(1) == y).float().mean().item())
    enc.train()
    return np.mean(accs), 1.96 * np.std(accs) / np.sqrt(episodes)


def cli():
    p = argparse.ArgumentParser()
    p.add_argument("--episodes", type=int, default=240)
    p.add_argument("--lr", type=float, default=2e-3)
    p.add_argument("--seed", type=int, default=5)
    return p.parse_args()


def main():
    logging.basicConfig(level=logging.INFO, format="%(relativeCreated)7d ms | %(message)s")
    args = cli()
    rng = np.random.default_rng(args.seed)
    torch.manual_seed(args.seed)
    base, valid, novel = (draw_alphabet(n, 20, 24, rng) for n in (80, 20, 30))
    mu, sd = base.mean(), base.std()
    base, valid, novel = ((b - mu) / sd for b in (base, valid, novel))
    log.info("alphabets drawn: base %s valid %s novel %s", *(tuple(b.shape[:2]) for b in (base, valid, novel)))

    enc = Encoder()
    opt = torch.optim.Adam(enc.parameters(), lr=args.lr)
    sched = torch.optim.lr_scheduler.StepLR(opt, step_size=args.episodes // 3, gamma=0.5)
    gen = torch.Generator().manual_seed(args.seed + 1)
    enc.train()
    tic, run_loss, run_acc = time.time(), 0.0, 0.0
    best, best_state = -1.0, None
    for it in range(1, args.episodes + 1):
        s, q, y = episode(base, 10, 3, 5, gen)
        logits = score(enc, s, q, 10, 3)
        loss = F.cross_entropy(logits, y)
        opt.zero_grad()
        loss.backward()
        opt.step()
        sched.step()
        run_loss += loss.item()
        run_acc += (logits.argmax(1) == y).float().mean().item()
        if it % 40 == 0:
            va, ci = assess(enc, valid, 1, 30, seed=77)
            log.info("episode %d  loss %.4f  train-acc %.3f  valid 5w1s %.3f±%.3f", it, run_loss / 40, run_acc / 40, va, ci)
            run_loss = run_acc = 0.0
            if va > best:
                best, best_state = va, {k: v.clone() for k, v in enc.state_dict().items()}
    enc.load_state_dict(best_state)
    for shot in (1, 5):
        a, ci = assess(enc, novel, shot, 100, seed=2024)
        log.info("novel classes, 5-way %d-shot: %.2f%% ± %.2f", shot, 100 * a, 100 * ci)
    log.info("done in %.1fs", time.time() - tic)


if __name__ == "__main__":
    main()
