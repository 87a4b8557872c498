"""Vector-quantised autoencoder of 1-D motifs: straight-through estimator, codebook kept by EMA (no gradient)."""
import numpy as np
import torch
from torch import nn
import torch.nn.functional as F

torch.manual_seed(13)
rng = np.random.default_rng(13)

LENGTH, CODES, DIM = 32, 32, 8


def motifs(n):
    shapes = np.stack([np.sin(np.linspace(0, np.pi * k, 16)) * (1 if k % 2 else -1) for k in range(1, 7)])
    left, right = rng.integers(0, 6, n), rng.integers(0, 6, n)
    x = np.concatenate([shapes[left], shapes[right]], axis=1)
    return torch.tensor(x + rng.normal(0, 0.1, x.shape), dtype=torch.float32)


class Codebook(nn.Module):
    def __init__(self, codes, dim, decay=0.95):
        super().__init__()
        self.decay = decay
        self.register_buffer("weight", torch.randn(codes, dim))
        self.register_buffer("mass", torch.ones(codes))
        self.register_buffer("total", self.weight.clone())

    @torch.no_grad()
    def refresh(self, flat, idx):
        onehot = F.one_hot(idx, len(self.weight)).float()
        self.mass.mul_(self.decay).add_(onehot.sum(0), alpha=1 - self.decay)
        self.total.mul_(self.decay).add_(onehot.T @ flat, alpha=1 - self.decay)
        self.weight.copy_(self.total / self.mass.clamp(min=1e-2).unsqueeze(1))
        dead = self.mass < 0.05
        if dead.any():
            fresh = flat[torch.randint(0, len(flat), (int(dead.sum()),))]
            self.weight[dead] = fresh
            self.total[dead] = fresh
            self.mass[dead] = 1.0

    def forward(self, z):
        flat = z.reshape(-1, z.shape[-1])
        idx = torch.cdist(flat.detach(), self.weight).argmin(1)
        if self.training:
            self.refresh(flat.detach(), idx)
        q = self.weight[idx].view_as(z)
        commit = F.mse_loss(z, q.detach())
        return z + (q - z).detach(), commit, idx


class VQ(nn.Module):
    def __init__(self):
        super().__init__()
        self.enc = nn.Sequential(nn.Linear(16, 64), nn.ReLU(), nn.Linear(64, DIM))
        self.book = Codebook(CODES, DIM)
        self.dec = nn.Sequential(nn.Linear(DIM, 64), nn.ReLU(), nn.Linear(64, 16))

    def forward(self, x):
        z = self.enc(x.view(-1, 2, 16))
        q, commit, idx = self.book(z)
        return self.dec(q).reshape(-1, LENGTH), commit, idx


train, val = motifs(4000), motifs(800)
mu, sd = train.mean(), train.std()
train, val = (train - mu) / sd, (val - mu) / sd
model = VQ()
opt = torch.optim.Adam(model.parameters(), lr=2e-3)
sched = torch.optim.lr_scheduler.StepLR(opt, step_size=8, gamma=0.3)
for epoch in range(20):
    model.train()
    total = 0.0
    for idx in torch.randperm(len(train)).split(100):
        recon, commit, _ = model(train[idx])
        loss = F.mse_loss(recon, train[idx]) + 0.25 * commit
        opt.zero_grad()
        loss.backward()
        opt.step()
        total += loss.item() * len(idx)
    sched.step()
    if epoch % 3 == 1:
        model.eval()
        with torch.no_grad():
            recon, _, codes = model(val)
            err = F.mse_loss(recon, val).item()
        print(f"epoch {epoch:2d} train objective {total / len(train):.4f} val mse {err:.4f} (noise floor {(0.1 / sd.item()) ** 2:.4f}) codes used {codes.unique().numel()}")
