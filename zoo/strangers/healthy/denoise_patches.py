"""Denoising autoencoder on image patches cut from scikit-learn's two sample photographs.

The network is asked to return what it was given (before the noise was added).
Patches come from separate strips of the photographs, so no pixel is shared between the splits.
"""
import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
from sklearn.datasets import load_sample_images

PATCH = 12
SIGMA = 0.10        # noise, on the 0..1 scale


def gray_photos():
    for img in load_sample_images().images:                    # uint8, (427, 640, 3)
        yield img.astype(np.float32) @ np.array([0.299, 0.587, 0.114], dtype=np.float32) / 255.0


def cut(photo, x0, x1, n, rng):
    ys = rng.integers(0, photo.shape[0] - PATCH + 1, n)
    xs = rng.integers(x0, x1 - PATCH + 1, n)
    return np.stack([photo[y:y + PATCH, x:x + PATCH] for y, x in zip(ys, xs)])


def strips(rng):
    """Vertical strips, in turn: 3 for training, 1 for validation, 1 for test, and again."""
    parts = {"train": [], "val": [], "test": []}
    for photo in gray_photos():
        for i, x0 in enumerate(range(0, 640, 32)):
            name = ("train", "val", "train", "test", "train")[i % 5]
            parts[name].append(cut(photo, x0, x0 + 32, 350 if name == "train" else 150, rng))
    return {k: torch.from_numpy(np.concatenate(v)).unsqueeze(1) for k, v in parts.items()}


class DAE(nn.Module):
    """A bottleneck of 36 numbers for 144 pixels."""

    def __init__(self, code=36):
        super().__init__()
        self.enc = nn.Sequential(nn.Flatten(), nn.Linear(PATCH * PATCH, 128), nn.GELU(), nn.Linear(128, code))
        self.dec = nn.Sequential(nn.GELU(), nn.Linear(code, 128), nn.GELU(), nn.Linear(128, PATCH * PATCH))

    def forward(self, x):
        return self.dec(self.enc(x)).view_as(x)


def corrupt(x, sigma, generator=None):
    return x + sigma * torch.randn(x.shape, generator=generator)


def psnr(mse):
    return -10 * np.log10(mse)


if __name__ == "__main__":
    torch.manual_seed(1234)
    rng = np.random.default_rng(1234)
    sets = strips(rng)
    mean, std = sets["train"].mean(), sets["train"].std()
    sets = {k: (v - mean) / std for k, v in sets.items()}
    sigma = SIGMA / std.item()
    print({k: tuple(v.shape) for k, v in sets.items()}, f"noise sigma after scaling {sigma:.3f}")

    # held-out noise is drawn once, so every epoch is judged on the same pictures
    g = torch.Generator().manual_seed(77)
    noisy_val = corrupt(sets["val"], sigma, g)
    noisy_test = corrupt(sets["test"], sigma, g)

    net = DAE()
    opt = torch.optim.Adam(net.parameters(), lr=2e-3)
    EPOCHS, B = 36, 128
    sched = torch.optim.lr_scheduler.MultiStepLR(opt, milestones=[22, 30], gamma=0.2)
    x_train = sets["train"]

    for epoch in range(1, EPOCHS + 1):
        net.train()
        total = 0.0
        for idx in torch.randperm(len(x_train)).split(B):
            clean = x_train[idx]
            recon = net(corrupt(clean, sigma))                   # new noise at every visit
            loss = F.mse_loss(recon, clean)
            opt.zero_grad()
            loss.backward()
            opt.step()
            total += loss.item() * len(idx)
        sched.step()
        net.eval()
        with torch.no_grad():
            val = F.mse_loss(net(noisy_val), sets["val"]).item()
        if epoch == 1 or epoch % 4 == 0:
            print(f"epoch {epoch:2d}  train {total / len(x_train):.4f}  val {val:.4f}")

    with torch.no_grad():
        out = net(noisy_test)
        before = F.mse_loss(noisy_test, sets["test"]).item() * std.item() ** 2
        after = F.mse_loss(out, sets["test"]).item() * std.item() ** 2
    print(f"test PSNR: noisy {psnr(before):.2f} dB -> restored {psnr(after):.2f} dB")
