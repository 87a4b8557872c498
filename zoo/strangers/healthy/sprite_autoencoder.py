# Autoencoder for 16x16 grey sprites with the optimizer fused into the backward pass:
# every parameter owns a tiny Adam that fires as soon as its gradient is complete, so
# the full set of gradients never sits in memory at once.
import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

torch.manual_seed(31)
SIZE, LATENT, BATCH, STEPS, LR = 16, 10, 64, 1500, 2e-3
SHAPES = ("disc", "square", "cross", "ring")


def draw_sprites(n, seed):
    rng = np.random.default_rng(seed)
    yy, xx = np.mgrid[0:SIZE, 0:SIZE] + 0.5
    kind = rng.integers(0, len(SHAPES), size=n)
    out = np.zeros((n, SIZE, SIZE), dtype=np.float32)
    for i, k in enumerate(kind):
        r = rng.uniform(3.0, 5.0)
        cy, cx = rng.uniform(r + 0.5, SIZE - r - 0.5, size=2)
        dy, dx = np.abs(yy - cy), np.abs(xx - cx)
        dist = np.hypot(dy, dx)
        if k == 0:
            soft = r - dist
        elif k == 1:
            soft = r - np.maximum(dy, dx)
        elif k == 2:
            soft = np.minimum(r - np.maximum(dy, dx), 1.1 - np.minimum(dy, dx))
        else:
            soft = 1.1 - np.abs(dist - r + 0.8)
        out[i] = np.clip(soft + 0.5, 0, 1) * rng.uniform(0.7, 1.0)
    return torch.from_numpy(out[:, None]), kind


class AutoEncoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.enc = nn.Sequential(
            nn.Conv2d(1, 16, 4, stride=2, padding=1), nn.ReLU(),
            nn.Conv2d(16, 32, 4, stride=2, padding=1), nn.ReLU(),
            nn.Flatten(), nn.Linear(32 * 16, LATENT),
        )
        self.dec = nn.Sequential(
            nn.Linear(LATENT, 32 * 16), nn.ReLU(), nn.Unflatten(1, (32, 4, 4)),
            nn.ConvTranspose2d(32, 16, 4, stride=2, padding=1), nn.ReLU(),
            nn.ConvTranspose2d(16, 1, 4, stride=2, padding=1),
            nn.Sigmoid(),           # pixels live in [0, 1]
        )

    def forward(self, x):
        z = self.enc(x)
        return self.dec(z), z


def fuse_optimizer(model, lr):
    optimizers = {p: torch.optim.Adam([p], lr=lr, foreach=False) for p in model.parameters()}

    def on_grad_ready(p):
        optimizers[p].step()
        optimizers[p].zero_grad()

    for p in model.parameters():
        p.register_post_accumulate_grad_hook(on_grad_ready)
    return list(optimizers.values())


def set_lr(optimizers, lr):
    for o in optimizers:
        o.param_groups[0]["lr"] = lr


@torch.no_grad()
def reconstruct_error(model, x):
    model.eval()
    recon, z = model(x)
    model.train()
    return F.mse_loss(recon, x).item(), z.numpy()


train_x, train_kind = draw_sprites(4000, seed=1)
val_x, _ = draw_sprites(500, seed=2)
test_x, test_kind = draw_sprites(1000, seed=3)

model = AutoEncoder()
with torch.no_grad():           # start the decoder at the average brightness
    mean = train_x.mean()
    model.dec[-2].bias.fill_(torch.log(mean / (1 - mean)).item())
fused = fuse_optimizer(model, LR)

generator = torch.Generator().manual_seed(77)
history = []
for step in range(STEPS):
    set_lr(fused, LR * 0.5 * (1 + np.cos(np.pi * step / STEPS)))
    batch = train_x[torch.randint(len(train_x), (BATCH,), generator=generator)]
    recon, _ = model(batch)
    loss = F.mse_loss(recon, batch, reduction="sum") / len(batch)
    loss.backward()
    history.append(loss.item())
    if (step + 1) % 300 == 0:
        val_mse, _ = reconstruct_error(model, val_x)
        print(f"step {step + 1:4d}  loss/img {np.mean(history[-300:]):7.3f}  val mse {val_mse:.5f}")

test_mse, test_z = reconstruct_error(model, test_x)
blank = ((test_x - train_x.mean(0)) ** 2).mean().item()
print(f"test mse {test_mse:.5f} (mean image {blank:.5f}, explained {1 - test_mse / blank:.1%})")
_, train_z = reconstruct_error(model, train_x)
probe = make_pipeline(StandardScaler(), SVC(C=10)).fit(train_z, train_kind)
print(f"shape from latent code, SVM probe: {probe.score(test_z, test_kind):.3f}")
