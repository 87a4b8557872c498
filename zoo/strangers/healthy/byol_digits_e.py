"""Bootstrap-your-own-latent on 8x8 digits, judged with a linear probe."""
import copy

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
from sklearn.datasets import load_digits
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler

torch.manual_seed(17)
np.random.seed(17)

digits = load_digits()
x_tr, x_te, y_tr, y_te = train_test_split(
    digits.images.astype(np.float32), digits.target, test_size=0.25, stratify=digits.target, random_state=17)
mean, std = x_tr.mean(), x_tr.std()
x_tr = torch.from_numpy((x_tr - mean) / std).unsqueeze(1)
x_te = torch.from_numpy((x_te - mean) / std).unsqueeze(1)


def two_views(x):
    return jitter(x), jitter(x)


def jitter(x):
    n = x.size(0)
    theta = torch.zeros(n, 2, 3)
    angle = (torch.rand(n) - 0.5) * 0.5
    scale = 0.85 + 0.3 * torch.rand(n)
    theta[:, 0, 0] = scale * angle.cos()
    theta[:, 0, 1] = -scale * angle.sin()
    theta[:, 1, 0] = scale * angle.sin()
    theta[:, 1, 1] = scale * angle.cos()
    theta[:, :, 2] = (torch.rand(n, 2) - 0.5) * 0.4
    grid = F.affine_grid(theta, x.shape, align_corners=False)
    warped = F.grid_sample(x, grid, padding_mode="border", align_corners=False)
    return warped + 0.15 * torch.randn_like(warped)


class Online(nn.Module):
    def __init__(self, width=32, latent=32):
        super().__init__()
        self.trunk = nn.Sequential(
            nn.Conv2d(1, width, 3, stride=2, padding=1), nn.BatchNorm2d(width), nn.ReLU(),
            nn.Conv2d(width, width, 3, padding=1), nn.BatchNorm2d(width), nn.ReLU(), nn.Flatten())
        self.projector = nn.Sequential(
            nn.Linear(width * 16, 96), nn.BatchNorm1d(96), nn.ReLU(), nn.Linear(96, latent))

    def forward(self, x):
        return self.projector(self.trunk(x))


online = Online()
target = copy.deepcopy(online)
for p in target.parameters():
    p.requires_grad_(False)
predictor = nn.Sequential(nn.Linear(32, 64), nn.BatchNorm1d(64), nn.ReLU(), nn.Linear(64, 32))

EPOCHS, BATCH = 16, 128
optimizer = torch.optim.AdamW([*online.parameters(), *predictor.parameters()], lr=2e-3, weight_decay=1e-4)
schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, EPOCHS)


def agreement(pred, goal):
    return 2 - 2 * F.cosine_similarity(pred, goal, dim=-1).mean()


@torch.no_grad()
def drift(tau):
    for slow, fast in zip(target.parameters(), online.parameters()):
        slow.lerp_(fast, 1 - tau)


for epoch in range(EPOCHS):
    online.train(), predictor.train(), target.train()
    losses = []
    for idx in torch.randperm(len(x_tr)).split(BATCH):
        if len(idx) < BATCH // 2:
            continue
        a, b = two_views(x_tr[idx])
        with torch.no_grad():
            ta, tb = target(a), target(b)
        loss = 0.5 * (agreement(predictor(online(a)), tb) + agreement(predictor(online(b)), ta))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        drift(0.97)
        losses.append(loss.item())
    schedule.step()
    online.eval()
    with torch.no_grad():
        spread = F.normalize(online(x_tr[:256]), dim=-1).std(0).mean().item()
    print(f"epoch {epoch:2d}  byol {np.mean(losses):.4f}  embedding spread {spread:.3f}")

online.eval()
with torch.no_grad():
    f_tr, f_te = online.trunk(x_tr).numpy(), online.trunk(x_te).numpy()
scaler = StandardScaler().fit(f_tr)
probe = LogisticRegression(max_iter=200, C=0.05).fit(scaler.transform(f_tr), y_tr)
print(f"linear probe accuracy {probe.score(scaler.transform(f_te), y_te):.3f}")
