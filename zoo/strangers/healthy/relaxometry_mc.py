# %% T2 relaxometry with calibrated uncertainty
# Stage 1: denoising autoencoder on many unlabelled decay curves.  Stage 2: the encoder stays as it is,
# a head with two outputs (mean, log variance) learns log T2 from phantoms with known values.
# At prediction the dropout layers keep sampling; mean and spread over 40 passes.
import itertools
import random

import numpy as np
import torch
import torch.nn as nn

SEED = 5
random.seed(SEED)
np.random.seed(SEED)
torch.manual_seed(SEED)
rng = np.random.default_rng(SEED)

ECHO = np.arange(1, 33) * 9.0      # ms


# %%
def decay(n):
    t2 = np.exp(rng.uniform(np.log(20), np.log(220), n))
    frac = rng.beta(1.3, 8, n)
    t2_free = rng.uniform(400, 1200, n)
    clean = (1 - frac)[:, None] * np.exp(-ECHO / t2[:, None]) + frac[:, None] * np.exp(-ECHO / t2_free[:, None])
    b1 = 1 - 0.1 * rng.random(n)[:, None] * (np.arange(32) % 2 == 0)
    sigma = rng.uniform(0.01, 0.06, n)[:, None]
    noisy = np.hypot(clean * b1 + sigma * rng.normal(size=clean.shape), sigma * rng.normal(size=clean.shape))
    return noisy.astype(np.float32), clean.astype(np.float32), np.log(t2).astype(np.float32)


scans, _, _ = decay(12000)
scans_check, _, _ = decay(1000)
phantom, _, phantom_t2 = decay(1500)
val, _, val_t2 = decay(500)
test, _, test_t2 = decay(3000)

mu, sd = scans.mean(0), scans.std(0)
m_t, s_t = phantom_t2.mean(), phantom_t2.std()
prep = lambda a: torch.from_numpy((a - mu) / sd)
scans, scans_check, phantom, val, test = map(prep, (scans, scans_check, phantom, val, test))
target = lambda a: torch.from_numpy((a - m_t) / s_t)
phantom_t2, val_t2, test_t2 = map(target, (phantom_t2, val_t2, test_t2))


def batches(*tensors, size):
    while True:
        order = torch.randperm(len(tensors[0]))
        for i in range(0, len(order) - size + 1, size):
            yield tuple(t[order[i:i + size]] for t in tensors)


# %%
encoder = nn.Sequential(nn.Linear(32, 96), nn.ELU(), nn.Linear(96, 96), nn.ELU(), nn.Linear(96, 12))
decoder = nn.Sequential(nn.Linear(12, 96), nn.ELU(), nn.Linear(96, 32))
opt = torch.optim.Adam(itertools.chain(encoder.parameters(), decoder.parameters()), lr=2e-3)
sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, 1500)
encoder.train(), decoder.train()
for it, (x,) in zip(range(1500), batches(scans, size=128)):
    rebuilt = decoder(encoder(x + 0.1 * torch.randn_like(x)))
    loss = (rebuilt - x).square().mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
    sched.step()
    if it % 300 == 299:
        encoder.eval(), decoder.eval()
        with torch.no_grad():
            check = (decoder(encoder(scans_check)) - scans_check).square().mean()
        print(f"autoencoder {it + 1:5d}  loss {loss.item():.4f}  check {check.item():.4f}")
        encoder.train(), decoder.train()

# %%
encoder.eval()
encoder.requires_grad_(False)
head = nn.Sequential(nn.Linear(12, 64), nn.ReLU(), nn.Dropout(0.1), nn.Linear(64, 64), nn.ReLU(), nn.Dropout(0.1), nn.Linear(64, 2))
model = nn.Sequential(encoder, head)


def gaussian_nll(out, y):
    mean, logvar = out.unbind(-1)
    return 0.5 * (logvar + (y - mean) ** 2 * torch.exp(-logvar)).mean()


def predict(x, passes=40):
    model.eval()
    for m in model.modules():
        if isinstance(m, nn.Dropout):
            m.train()
    with torch.no_grad():
        out = torch.stack([model(x) for _ in range(passes)])
    model.eval()
    mean = out[..., 0].mean(0)
    var = out[..., 1].exp().mean(0) + out[..., 0].var(0)
    return mean, var.sqrt()


opt = torch.optim.AdamW([p for p in model.parameters() if p.requires_grad], lr=2e-3, weight_decay=1e-3)
sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, 1600)
run = 0.0
for it, (x, y) in zip(range(1, 1601), batches(phantom, phantom_t2, size=64)):
    head.train()
    with torch.no_grad():
        code = encoder(x)
    loss = gaussian_nll(head(code), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
    sched.step()
    run += loss.item() / 200
    if it % 200 == 0:
        model.eval()
        with torch.no_grad():
            v = gaussian_nll(model(val), val_t2).item()
        print(f"head {it:5d}  nll {run:+.4f}  validation nll {v:+.4f}")
        run = 0.0

# %%
mean, spread = predict(test)
err = (mean - test_t2).abs()
inside = (err < 1.645 * spread).float().mean()
rel = (torch.exp(err * float(s_t)) - 1).median()
r2 = 1 - (mean - test_t2).square().mean() / test_t2.var()
print(f"test: R2 of log T2 {r2:.4f}, median error {100 * rel:.1f} %, 90 % intervals hold {100 * inside:.1f} %")
