"""FTRL-Proximal logistic regression over hashed click-log features, evaluated test-then-train."""
import sys
import zlib
from collections import deque
from math import exp, log, sqrt

import numpy as np

BITS = 18
D = 1 << BITS


def click_stream(n, seed):
    """Endless-looking log: site, ad, hour, device and their interplay; tastes drift half way."""
    rng = np.random.default_rng(seed)
    site_w = rng.normal(0, 0.9, 60)
    ad_w = rng.normal(0, 0.8, 120)
    cross = rng.normal(0, 0.9, (60, 5))
    hour_w = 0.5 * np.sin(np.arange(24) / 24 * 2 * np.pi)
    site_p = rng.dirichlet(np.full(60, 0.5))
    ad_p = rng.dirichlet(np.full(120, 0.7))
    sites, ads = rng.choice(60, n, p=site_p), rng.choice(120, n, p=ad_p)
    hours, devices = rng.integers(0, 24, n), rng.integers(0, 5, n)
    new_ad_w = ad_w + rng.normal(0, 0.5, 120)
    u = rng.random(n)
    for i in range(n):
        w = ad_w if i < n // 2 else new_ad_w
        z = -3.1 + site_w[sites[i]] + w[ads[i]] + hour_w[hours[i]] + cross[sites[i], devices[i]]
        p = 1.0 / (1.0 + exp(-z))
        yield {"site": sites[i], "ad": ads[i], "hour": hours[i], "dev": devices[i]}, int(u[i] < p), p


def hashed(row):
    toks = [f"{k}={v}" for k, v in row.items()]
    toks.append(f"site={row['site']}^dev={row['dev']}")
    toks.append("bias")
    return [zlib.crc32(t.encode()) & (D - 1) for t in toks]


class FTRL:
    def __init__(self, alpha=0.15, beta=1.0, l1=0.3, l2=0.5):
        self.alpha, self.beta, self.l1, self.l2 = alpha, beta, l1, l2
        self.z = np.zeros(D)
        self.n = np.zeros(D)

    def weight(self, i):
        z = self.z[i]
        if abs(z) <= self.l1:
            return 0.0
        sign = -1.0 if z < 0 else 1.0
        return -(z - sign * self.l1) / ((self.beta + sqrt(self.n[i])) / self.alpha + self.l2)

    def predict(self, idx):
        self._w = [self.weight(i) for i in idx]
        s = max(min(sum(self._w), 30.0), -30.0)
        return 1.0 / (1.0 + exp(-s))

    def update(self, idx, p, y):
        g = p - y
        for i, w in zip(idx, self._w):
            sigma = (sqrt(self.n[i] + g * g) - sqrt(self.n[i])) / self.alpha
            self.z[i] += g - sigma * w
            self.n[i] += g * g


def logloss(p, y):
    p = min(max(p, 1e-12), 1 - 1e-12)
    return -log(p) if y else -log(1 - p)


def auc(scores, labels):
    s, l = np.asarray(scores), np.asarray(labels)
    order = s.argsort(kind="mergesort")
    ranks = np.empty(len(s))
    ranks[order] = np.arange(1, len(s) + 1)
    _, inv, cnt = np.unique(s, return_inverse=True, return_counts=True)
    ranks = (np.bincount(inv, ranks) / cnt)[inv]
    npos = l.sum()
    return (ranks[l == 1].sum() - npos * (npos + 1) / 2) / (npos * (len(l) - npos))


def main(n=300_000, seed=13):
    learner = FTRL()
    clicks = seen = 0
    cum = cum_base = cum_oracle = 0.0
    recent = deque(maxlen=20_000)
    for t, (row, y, p_true) in enumerate(click_stream(n, seed), 1):
        idx = hashed(row)
        p = learner.predict(idx)
        base = (clicks + 1) / (seen + 20)
        cum += logloss(p, y); cum_base += logloss(base, y); cum_oracle += logloss(p_true, y)
        recent.append((p, y, base, p_true))
        learner.update(idx, p, y)
        clicks += y; seen += 1
        if t % 25_000 == 0:
            ps, ys, bs, os_ = zip(*recent)
            ll = np.mean([logloss(a, b) for a, b in zip(ps, ys)])
            print("%7d  ctr %.4f  prequential %.4f  (running ctr %.4f, oracle %.4f)  window: ll %.4f auc %.4f  nnz %d" % (
                t, clicks / seen, cum / t, cum_base / t, cum_oracle / t, ll, auc(ps, ys), np.count_nonzero(np.abs(learner.z) > learner.l1)))
            sys.stdout.flush()
    ps, ys, bs, os_ = map(np.array, zip(*recent))
    print(f"last {len(ps)} events: auc {auc(ps, ys):.4f} (oracle {auc(os_, ys):.4f}), calibration {ps.mean() / ys.mean():.3f}")


if __name__ == "__main__":
    main()
