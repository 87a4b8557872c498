# Spoken-tone envelope classifier. Four kinds of loudness contour, 16-bit mono recordings.
import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F

SR = 8000
DUR = 1.0
FRAME = 200
N_CLIPS = 1800
EPOCHS = 14
BATCH = 64
CONTOURS = ["rise", "fall", "double", "plateau"]

rng = np.random.default_rng(11)
torch.manual_seed(11)


def contour(kind, t):
    shift = rng.uniform(-0.15, 0.15)
    if kind == 0:
        e = (t + shift).clip(0, 1)
    elif kind == 1:
        e = (1 - t + shift).clip(0, 1)
    elif kind == 2:
        e = np.exp(-((t - 0.25 - shift) / 0.1) ** 2) + np.exp(-((t - 0.75 - shift) / 0.1) ** 2)
    else:
        e = 1 / (1 + np.exp(-(t - 0.2 - shift) * 40)) - 1 / (1 + np.exp(-(t - 0.8 - shift) * 40))
    return 0.5 + 0.5 * e


def record(kind):
    t = np.arange(int(SR * DUR)) / SR
    carrier = np.zeros_like(t)
    for _ in range(3):
        carrier += rng.uniform(0.5, 1) * np.sin(2 * np.pi * rng.uniform(150, 1500) * t + rng.uniform(0, 6.28))
    wave = contour(kind, t / DUR) * (carrier + 0.35 * rng.standard_normal(t.size))
    gain = rng.uniform(3500, 7500)
    return (wave * gain).clip(-32768, 32767).astype(np.int16)


labels = rng.integers(0, 4, N_CLIPS)
pcm = np.stack([record(k) for k in labels])
print("pcm", pcm.shape, pcm.dtype, "peak", int(np.abs(pcm.astype(np.int32)).max()))


def frame_energy(pcm):
    frames = pcm.reshape(len(pcm), -1, FRAME)
    power = (frames * frames).mean(axis=-1)
    return np.log1p(np.abs(power))


def zero_crossings(pcm):
    frames = pcm.reshape(len(pcm), -1, FRAME)
    return (np.diff(np.signbit(frames).astype(np.int8), axis=-1) != 0).mean(-1)


feats = np.stack([frame_energy(pcm), zero_crossings(pcm)], axis=1).astype(np.float32)

order = rng.permutation(N_CLIPS)
tr, va, te = order[:1200], order[1200:1500], order[1500:]
mu = feats[tr].mean(axis=(0, 2), keepdims=True)
sd = feats[tr].std(axis=(0, 2), keepdims=True)
feats = (feats - mu) / sd
X = torch.from_numpy(feats)
Y = torch.from_numpy(labels)

net = nn.Sequential(
    nn.Conv1d(2, 24, 5, padding=2), nn.ReLU(), nn.MaxPool1d(2),
    nn.Conv1d(24, 32, 5, padding=2), nn.ReLU(), nn.MaxPool1d(2),
    nn.Flatten(), nn.Linear(32 * 10, 48), nn.ReLU(), nn.Dropout(0.2), nn.Linear(48, 4),
)
opt = torch.optim.Adam(net.parameters(), lr=1e-3)


def score(idx):
    net.eval()
    with torch.no_grad():
        out = net(X[idx])
    return F.cross_entropy(out, Y[idx]).item(), (out.argmax(1) == Y[idx]).float().mean().item()


for ep in range(1, EPOCHS + 1):
    net.train()
    tot = 0.0
    perm = rng.permutation(tr)
    for i in range(0, len(perm), BATCH):
        b = perm[i:i + BATCH]
        loss = F.cross_entropy(net(X[b]), Y[b])
        opt.zero_grad()
        loss.backward()
        opt.step()
        tot += loss.item() * len(b)
    vl, vacc = score(va)
    print(f"[{ep:02d}] train loss {tot / len(tr):.4f} | val loss {vl:.4f} acc {vacc:.3f}")

tl, tacc = score(te)
print(f"TEST  loss {tl:.4f}  acc {tacc:.3f}")
net.eval()
with torch.no_grad():
    p = net(X[te]).argmax(1)
for k, name in enumerate(CONTOURS):
    m = Y[te] == k
    print(f"   {name:8s} recall {(p[m] == k).float().mean().item():.3f}  n={int(m.sum())}")
