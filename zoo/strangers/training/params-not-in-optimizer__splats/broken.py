# 2-D Gaussian splatting, toy version: paint a surface as a sum of anisotropic blobs.
# Pixels are split: three quarters are used for fitting, the rest check the picture in between.
import math
from types import SimpleNamespace

import numpy as np
import torch

cfg = SimpleNamespace(side=48, blobs=60, steps=900, batch=512, seed=5)
torch.manual_seed(cfg.seed)
rng = np.random.default_rng(cfg.seed)


def paint_target(side):
    """Three smooth colour channels on [-1, 1]^2."""
    lin = torch.linspace(-1, 1, side)
    yy, xx = torch.meshgrid(lin, lin, indexing="ij")
    r = torch.sqrt(xx ** 2 + yy ** 2 + 1e-6)
    red = torch.sin(4 * r + 2 * xx)
    green = torch.tanh(3 * (yy - 0.4 * torch.sin(3 * xx)))
    blue = torch.cos(3 * xx) * torch.exp(-yy ** 2)
    coords = torch.stack([xx, yy], dim=-1).reshape(-1, 2)
    colours = torch.stack([red, green, blue], dim=-1).reshape(-1, 3)
    return coords, colours


def render(pos, log_scale, angle, colour, bias, q):
    """Colour at query points q (n, 2)."""
    delta = q[:, None, :] - pos[None]
    c, s = torch.cos(angle), torch.sin(angle)
    u = c * delta[..., 0] + s * delta[..., 1]
    v = -s * delta[..., 0] + c * delta[..., 1]
    inv = torch.exp(-log_scale)
    weight = torch.exp(-0.5 * ((u * inv[:, 0]) ** 2 + (v * inv[:, 1]) ** 2))
    return weight @ colour + bias


def psnr(pred, truth):
    span = (truth.max() - truth.min()).item()
    return 20 * math.log10(span) - 10 * math.log10((pred - truth).pow(2).mean().item())


coords, colours = paint_target(cfg.side)
shuffled = torch.from_numpy(rng.permutation(len(coords)))
n_fit = int(0.75 * len(coords))
fit_idx, check_idx = shuffled[:n_fit], shuffled[n_fit:]
mean, std = colours[fit_idx].mean(0), colours[fit_idx].std(0)
colours = (colours - mean) / std

K = cfg.blobs
pos = torch.empty(K, 2).uniform_(-1, 1).requires_grad_()
log_scale = torch.full((K, 2), math.log(0.22)).requires_grad_()
angle = torch.empty(K).uniform_(0, math.pi).requires_grad_()
colour = (0.02 * torch.randn(K, 3)).requires_grad_()
bias = torch.zeros(3, requires_grad=True)
scene = (pos, log_scale, angle, colour, bias)

opt = torch.optim.Adam(
    [
        {"params": [pos], "lr": 5e-3},
        {"params": [log_scale, angle], "lr": 1e-2},
        {"params": [bias], "lr": 2e-2},
    ],
    betas=(0.9, 0.99),
)
sched = torch.optim.lr_scheduler.ExponentialLR(opt, gamma=0.998)

for step in range(1, cfg.steps + 1):
    pick = fit_idx[torch.randint(n_fit, (cfg.batch,))]
    pred = render(*scene, coords[pick])
    loss = (pred - colours[pick]).pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
    sched.step()
    if step % 100 == 0:
        with torch.no_grad():
            seen = render(*scene, coords[fit_idx])
            unseen = render(*scene, coords[check_idx])
        print(f"step {step:4d}  batch mse {loss.item():.4f}  psnr fit {psnr(seen, colours[fit_idx]):5.2f} dB"
              f"  check {psnr(unseen, colours[check_idx]):5.2f} dB")

with torch.no_grad():
    final = render(*scene, coords[check_idx])
    share = 1 - (final - colours[check_idx]).pow(2).mean() / colours[check_idx].var(unbiased=False)
print(f"explained variance on unseen pixels: {share.item():.4f}")
