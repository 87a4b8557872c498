"""Hand-gesture recognition from wrist accelerometer windows, functional style (torch.func)."""
import math
from functools import partial

import numpy as np
import torch
from torch.func import functional_call, grad_and_value, vmap

GESTURES = ("swipe", "circle", "shake", "tap", "wave", "hold")


def synth_window(label, rng, length=40):
    t = np.linspace(0, 1, length)
    ph, sp = rng.uniform(0, 2 * math.pi), rng.uniform(0.85, 1.15)
    z = np.zeros((3, length))
    if label == 0:
        z[0] = np.exp(-((t - rng.uniform(0.3, 0.7)) / 0.12) ** 2) * 2
    elif label == 1:
        z[0], z[1] = np.sin(4 * math.pi * sp * t + ph), np.cos(4 * math.pi * sp * t + ph)
    elif label == 2:
        z[0] = np.sin(16 * math.pi * sp * t + ph)
        z[2] = 0.5 * z[0]
    elif label == 3:
        z[2, rng.integers(5, 35)] = 4
    elif label == 4:
        z[1] = np.sin(6 * math.pi * sp * t + ph)
    return z + rng.normal(0, 0.35, z.shape)


def load_folder(per_class, seed):
    """One recording folder per gesture, read one after the other."""
    rng = np.random.default_rng(seed)
    xs, ys = [], []
    for label in range(len(GESTURES)):
        xs += [synth_window(label, rng) for _ in range(per_class)]
        ys += [label] * per_class
    return torch.tensor(np.stack(xs), dtype=torch.float32), torch.tensor(ys)


def batches(x, y, size, rng=None):
    order = torch.arange(len(x)) if rng is None else torch.randperm(len(x), generator=rng)
    for idx in order.split(size):
        yield x[idx], y[idx]


def build(c=24):
    return torch.nn.Sequential(
        torch.nn.Conv1d(3, c, 5, padding=2), torch.nn.ReLU(), torch.nn.MaxPool1d(2),
        torch.nn.Conv1d(c, c, 5, padding=2), torch.nn.ReLU(), torch.nn.AdaptiveMaxPool1d(4),
        torch.nn.Flatten(), torch.nn.Linear(4 * c, len(GESTURES)))


def nll_one(net, params, x, y):
    logits = functional_call(net, params, (x.unsqueeze(0),)).squeeze(0)
    return -torch.log_softmax(logits, dim=0).gather(0, y.unsqueeze(0)).squeeze(0)


def mean_loss(net, params, x, y):
    return vmap(partial(nll_one, net, params))(x, y).mean()


def sgd_init(params):
    return {k: torch.zeros_like(v) for k, v in params.items()}


def sgd_update(params, grads, velocity, lr, momentum=0.9, decay=1e-4):
    velocity = {k: momentum * velocity[k] + grads[k] + decay * params[k] for k in params}
    return {k: params[k] - lr * velocity[k] for k in params}, velocity


def cosine(step, total, peak):
    return 0.5 * peak * (1 + math.cos(math.pi * step / total))


def accuracy(net, params, x, y):
    hits = 0
    with torch.no_grad():
        for xb, yb in batches(x, y, 256):
            hits += (functional_call(net, params, (xb,)).argmax(1) == yb).sum().item()
    return hits / len(y)


def main():
    torch.manual_seed(8)
    x, y = load_folder(150, seed=1)
    x_te, y_te = load_folder(50, seed=2)
    mu, sd = x.mean((0, 2), keepdim=True), x.std((0, 2), keepdim=True)
    x, x_te = (x - mu) / sd, (x_te - mu) / sd

    net = build()
    params = {k: v.detach().clone() for k, v in net.named_parameters()}
    velocity = sgd_init(params)
    step_fn = grad_and_value(lambda p, xb, yb: mean_loss(net, p, xb, yb))

    epochs, size, step = 10, 30, 0
    total = epochs * math.ceil(len(x) / size)
    for epoch in range(epochs):
        losses = []
        for xb, yb in batches(x, y, size):
            grads, value = step_fn(params, xb, yb)
            params, velocity = sgd_update(params, grads, velocity, cosine(step, total, 0.05))
            losses.append(value.item())
            step += 1
        print(f"epoch {epoch:2d} loss {np.mean(losses):.3f}")
    print("accuracy train %.3f test %.3f" % (accuracy(net, params, x, y), accuracy(net, params, x_te, y_te)))


if __name__ == "__main__":
    main()
