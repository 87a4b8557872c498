"""Few-shot calibration of valve response curves with Reptile (Nichol et al., 2018).

Every valve is a regression task. The meta-parameters carry no gradients of their own: they are moved towards the
weights that a throw-away copy reaches after a few SGD steps on one valve.
"""
import copy

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F

META_ITERS = 1500
TASKS_PER_ITER = 4
INNER_STEPS = 8
INNER_LR = 0.03
SHOTS = 10


class Valve:
    """Flow over opening angle; each physical valve has its own gain, dead band and steepness."""

    def __init__(self, rng):
        self.gain = rng.uniform(0.6, 1.8)
        self.knee = rng.uniform(-0.9, 0.9)
        self.steep = rng.uniform(2.0, 4.0)
        self.ripple = rng.uniform(0.0, 0.25)
        self.rng = rng

    def truth(self, x):
        return self.gain * np.tanh(self.steep * (x - self.knee)) + self.ripple * np.sin(5 * x)

    def measure(self, n):
        x = self.rng.uniform(-2, 2, (n, 1))
        y = self.truth(x) + self.rng.normal(0, 0.02, x.shape)
        return torch.tensor(x, dtype=torch.float32), torch.tensor(y, dtype=torch.float32)

    def grid(self):
        x = np.linspace(-2, 2, 80)[:, None]
        return torch.tensor(x, dtype=torch.float32), torch.tensor(self.truth(x), dtype=torch.float32)


def make_net():
    return nn.Sequential(nn.Linear(1, 48), nn.Tanh(), nn.Linear(48, 48), nn.Tanh(), nn.Linear(48, 1))


def adapt(net, x, y, steps, lr):
    """Returns a fine-tuned copy, `net` itself is left alone."""
    clone = copy.deepcopy(net)
    sgd = torch.optim.SGD(clone.parameters(), lr=lr)
    for _ in range(steps):
        sgd.zero_grad()
        loss = F.mse_loss(clone(x), y)
        loss.backward()
        sgd.step()
    return clone, loss.item()


def few_shot_error(net, valves, steps=16):
    errs = []
    for v, (x, y) in valves:
        fitted, _ = adapt(net, x, y, steps, INNER_LR)
        gx, gy = v.grid()
        with torch.no_grad():
            errs.append(F.mse_loss(fitted(gx), gy).item())
    return float(np.mean(errs))


def main():
    torch.manual_seed(77)
    rng = np.random.default_rng(77)
    val = [(v, v.measure(SHOTS)) for v in (Valve(np.random.default_rng(5000 + i)) for i in range(25))]
    test = [(v, v.measure(SHOTS)) for v in (Valve(np.random.default_rng(9000 + i)) for i in range(60))]

    meta = make_net()
    scratch_err = few_shot_error(copy.deepcopy(meta), test)
    running = None
    for it in range(META_ITERS):
        eps = 0.5 * (1 - it / META_ITERS)
        moves = [torch.zeros_like(p) for p in meta.parameters()]
        for _ in range(TASKS_PER_ITER):
            x, y = Valve(rng).measure(2 * SHOTS)
            clone, loss = adapt(meta, x, y, INNER_STEPS, INNER_LR)
            running = loss if running is None else 0.98 * running + 0.02 * loss
            for m, p_new, p_old in zip(moves, clone.parameters(), meta.parameters()):
                m += (p_new.data - p_old.data) / TASKS_PER_ITER
        for p, m in zip(meta.parameters(), moves):
            p.data.add_(m, alpha=eps)
        if (it + 1) % 250 == 0:
            print(f"iter {it + 1:4d}  eps {eps:.2f}  inner loss (ema) {running:.4f}  {SHOTS}-shot val mse {few_shot_error(meta, val):.4f}")

    spread = float(np.mean([v.grid()[1].var().item() for v, _ in test]))
    print(f"{SHOTS}-shot mse on 60 unseen valves: {few_shot_error(meta, test):.4f}  "
          f"(random initialisation {scratch_err:.4f}, curve variance {spread:.4f})")


if __name__ == "__main__":
    main()
