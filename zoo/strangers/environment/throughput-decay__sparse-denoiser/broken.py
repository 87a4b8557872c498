"""Denoising autoencoder on the 8x8 digits. Weekend project.

I want to know how many code units are silent during training, so I peek at the
code layer with a forward hook and average what it sees per epoch.
"""
import time

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split

torch.manual_seed(3)
np.random.seed(3)

digits = load_digits()
imgs = (digits.images / 16.0).astype("float32").reshape(-1, 64)
train_np, test_np = train_test_split(imgs, test_size=0.25, random_state=3, stratify=digits.target)
train_x = torch.from_numpy(train_np)
test_x = torch.from_numpy(test_np)
centre = train_x.mean()
spread = train_x.std()
train_x = (train_x - centre) / spread
test_x = (test_x - centre) / spread

noise_gen = torch.Generator().manual_seed(99)
test_noisy = test_x + 0.8 * torch.randn(test_x.shape, generator=noise_gen)


class Denoiser(nn.Module):
    def __init__(self, hidden=192, code=96):
        super().__init__()
        self.enc = nn.Sequential(nn.Linear(64, hidden), nn.ReLU(), nn.Linear(hidden, code), nn.ReLU())
        self.dec = nn.Sequential(nn.Linear(code, hidden), nn.ReLU(), nn.Linear(hidden, 64))

    def forward(self, x):
        return self.dec(self.enc(x))


class CodePeek:
    """Remembers how busy the code layer was in the last forward pass."""

    def __init__(self):
        self.silent = 0.0
        self.entropy = 0.0

    def __call__(self, module, inputs, output):
        z = output.detach()
        self.silent = (z == 0).float().mean().item()
        use = z.sum(0) + 1e-8
        p = use / use.sum()
        self.entropy = -(p * p.log()).sum().item()


def denoising_error(net, noisy, clean):
    net.eval()
    with torch.no_grad():
        return F.mse_loss(net(noisy), clean).item()


net = Denoiser()
opt = torch.optim.AdamW(net.parameters(), lr=2e-3, weight_decay=1e-3)
peek = CodePeek()
epochs, bs = 32, 64
first = denoising_error(net, test_noisy, test_x)
print(f"before training: test mse {first:.4f}   (noisy input itself: {F.mse_loss(test_noisy, test_x).item():.4f})")

for ep in range(epochs):
    net.train()
    tic = time.perf_counter()
    order = torch.randperm(len(train_x))
    run_loss, run_silent, run_ent, seen, steps = 0.0, 0.0, 0.0, 0, 0
    for k in range(0, len(train_x), bs):
        clean = train_x[order[k:k + bs]]
        noisy = clean + 0.8 * torch.randn_like(clean)
        net.enc.register_forward_hook(peek)

        opt.zero_grad()
        loss = F.mse_loss(net(noisy), clean)
        loss.backward()
        opt.step()
        run_loss += loss.item() * len(clean)
        run_silent += peek.silent
        run_ent += peek.entropy
        seen += len(clean)
        steps += 1
    if (ep + 1) % 4 == 0:
        took = (time.perf_counter() - tic) / steps * 1000
        print(f"epoch {ep + 1:2d}  train {run_loss / seen:.4f}  "
              f"test {denoising_error(net, test_noisy, test_x):.4f}  "
              f"silent units {run_silent / steps:.2f}  usage entropy {run_ent / steps:.2f}  {took:.1f} ms/step")

print(f"final denoising mse on test digits: {denoising_error(net, test_noisy, test_x):.4f}")
