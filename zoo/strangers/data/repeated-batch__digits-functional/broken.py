# Softmax MLP on the 8x8 digits in purely functional torch: parameters are a dict, the
# update is a function, nothing is an nn.Module.
from functools import partial

import torch
import torch.nn.functional as F
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split
from torch.func import grad_and_value

SEED = 17
STEPS = 1200
BATCH = 48
PEAK_LR = 0.02
MOMENTUM = 0.9
DECAY = 1e-3


def init_params(sizes, gen):
    params = {}
    for k, (fan_in, fan_out) in enumerate(zip(sizes[:-1], sizes[1:])):
        params[f"w{k}"] = torch.randn(fan_in, fan_out, generator=gen) * (2.0 / fan_in) ** 0.5
        params[f"b{k}"] = torch.zeros(fan_out)
    # small last layer: start from near-uniform predictions
    params[f"w{k}"] = params[f"w{k}"] * 0.3
    return params


def forward(params, x, depth):
    h = x
    for k in range(depth):
        h = h @ params[f"w{k}"] + params[f"b{k}"]
        if k < depth - 1:
            h = torch.relu(h)
    return h


def objective(params, x, y, depth):
    return F.cross_entropy(forward(params, x, depth), y)


def draw_batch(x, y, n):
    gen = torch.Generator().manual_seed(SEED)
    rows = torch.randint(len(x), (n,), generator=gen)
    return x[rows], y[rows]


def sgd(params, velocity, grads, lr):
    velocity = {k: MOMENTUM * velocity[k] + grads[k] + DECAY * params[k] for k in params}
    params = {k: params[k] - lr * velocity[k] for k in params}
    return params, velocity


def lr_at(step):
    # linear to zero
    return PEAK_LR * (1.0 - step / STEPS)


def accuracy(params, x, y, depth):
    with torch.no_grad():
        return (forward(params, x, depth).argmax(1) == y).float().mean().item()


def load():
    raw = load_digits()
    x_fit, x_rest, y_fit, y_rest = train_test_split(
        raw.data, raw.target, test_size=0.4, stratify=raw.target, random_state=SEED)
    x_dev, x_test, y_dev, y_test = train_test_split(
        x_rest, y_rest, test_size=0.6, stratify=y_rest, random_state=SEED)
    mean, std = x_fit.mean(), x_fit.std()
    pack = lambda a, b: (torch.tensor((a - mean) / std, dtype=torch.float32), torch.tensor(b))
    return pack(x_fit, y_fit), pack(x_dev, y_dev), pack(x_test, y_test)


def run():
    (x, y), dev, test = load()
    sizes = [x.shape[1], 64, 32, 10]
    depth = len(sizes) - 1

    params = init_params(sizes, torch.Generator().manual_seed(SEED))
    velocity = {k: torch.zeros_like(v) for k, v in params.items()}
    step_fn = grad_and_value(partial(objective, depth=depth))

    smooth = None
    for step in range(STEPS):
        xb, yb = draw_batch(x, y, BATCH)
        grads, loss = step_fn(params, xb, yb)
        params, velocity = sgd(params, velocity, grads, lr_at(step))
        smooth = loss.item() if smooth is None else 0.98 * smooth + 0.02 * loss.item()
        if step % 100 == 0:
            print(f"step {step:5d}  loss {loss.item():.4f}  (smoothed {smooth:.4f})  "
                  f"dev accuracy {accuracy(params, *dev, depth):.3f}")

    print(f"final: test accuracy {accuracy(params, *test, depth):.3f}")


run()
