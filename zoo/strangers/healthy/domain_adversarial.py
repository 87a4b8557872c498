"""Unsupervised domain adaptation with a gradient reversal layer (DANN).

The reversal layer's backward is on purpose not the derivative of its forward. The domain classifier is expected to end
up near chance (its loss near ln 2); that is the sign that adaptation worked.
"""
import math

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn

rng = np.random.default_rng(12)
torch.manual_seed(12)


class Reverse(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, strength):
        ctx.strength = strength
        return x.view_as(x)

    @staticmethod
    def backward(ctx, grad):
        return -ctx.strength * grad, None


MIX = rng.normal(size=(3, 8)) / 3 ** 0.5
NUISANCE = rng.normal(size=(2, 8)) / 2 ** 0.5


def sample(n, target):
    """Three classes around a circle; the target domain adds an offset along directions useless for the class."""
    y = rng.integers(3, size=n)
    core = np.eye(3)[y] * 2.2 + rng.normal(scale=0.45, size=(n, 3))
    nuisance = rng.normal(scale=0.4, size=(n, 2))
    if target:
        nuisance += np.array([1.4, -1.1])
    else:  # in the source the nuisance also hints at the class: a shortcut which fails on the target
        nuisance += 0.5 * np.c_[y - 1, 1 - y]
    x = core @ MIX + nuisance @ NUISANCE
    return x.astype(np.float32), y


def tensors(n, target, mean=None, std=None):
    x, y = sample(n, target)
    mean, std = (x.mean(0), x.std(0)) if mean is None else (mean, std)
    return torch.from_numpy((x - mean) / std), torch.from_numpy(y), mean, std


src_x, src_y, MEAN, STD = tensors(4000, target=False)
tgt_x, _, _, _ = tensors(4000, True, MEAN, STD)          # labels of the target domain are never used in training
src_test = tensors(2000, False, MEAN, STD)[:2]
tgt_test = tensors(2000, True, MEAN, STD)[:2]


def make_nets():
    features = nn.Sequential(nn.Linear(8, 64), nn.ReLU(), nn.Linear(64, 16), nn.Tanh())
    return features, nn.Linear(16, 3), nn.Sequential(nn.Linear(16, 32), nn.ReLU(), nn.Linear(32, 1))


def accuracy(features, head, data):
    with torch.inference_mode():
        return (head(features(data[0])).argmax(1) == data[1]).float().mean().item()


def train(adapt, steps=1000, batch=128):
    features, head, critic = make_nets()
    opt = torch.optim.SGD([{"params": features.parameters()}, {"params": head.parameters()},
                           {"params": critic.parameters(), "lr": 0.1}], lr=0.03, momentum=0.9, weight_decay=1e-3)
    base = [g["lr"] for g in opt.param_groups]
    avg = {"class": 0.0, "domain": 0.0}
    for step in range(steps):
        p = step / steps
        strength = (2 / (1 + math.exp(-8 * p)) - 1) * (1.0 if adapt else 0.0)
        for g, b in zip(opt.param_groups, base):
            g["lr"] = b / (1 + 10 * p) ** 0.75
        i, j = torch.randint(4000, (batch,)), torch.randint(4000, (batch,))
        z = features(torch.cat([src_x[i], tgt_x[j]]))
        class_loss = F.cross_entropy(head(z[:batch]), src_y[i], label_smoothing=0.05)
        where = torch.cat([torch.zeros(batch), torch.ones(batch)])
        domain_loss = F.binary_cross_entropy_with_logits(critic(Reverse.apply(z, strength)).squeeze(1), where)
        opt.zero_grad()
        (class_loss + domain_loss).backward()
        opt.step()
        avg["class"] += class_loss.item()
        avg["domain"] += domain_loss.item()
        if (step + 1) % 200 == 0:
            print(f"  step {step + 1:4d} class {avg['class'] / 200:.4f} domain {avg['domain'] / 200:.4f} "
                  f"reversal {strength:.2f} source acc {accuracy(features, head, src_test):.3f}")
            avg = dict.fromkeys(avg, 0.0)
    return accuracy(features, head, src_test), accuracy(features, head, tgt_test)


print("source only (domain classifier watches, reversal strength 0)")
plain = train(adapt=False)
print("domain-adversarial")
dann = train(adapt=True)
print(f"final: target accuracy {plain[1]:.3f} -> {dann[1]:.3f} with adaptation; "
      f"source accuracy {plain[0]:.3f} -> {dann[0]:.3f}")
