"""Contrastive pretraining on unlabelled wrist accelerometer windows, then a linear probe.

  1. NT-Xent on two random views of every window (labels are not touched)
  2. freeze the encoder, logistic regression on 10 labelled windows per activity
"""
import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import StandardScaler

torch.manual_seed(21)
rng = np.random.default_rng(21)
ACTIVITIES = ["still", "walk", "run", "stairs", "cycle", "type"]
T = 96


def window(a):
    t = np.arange(T) / 32.0
    ph = rng.uniform(0, 2 * np.pi, 3)
    f, amp, harm = [(0.0, 0.0, 0.0), (1.8, 0.8, 0.3), (2.8, 1.5, 0.5),
                    (1.5, 0.7, 0.7), (1.2, 0.5, 0.05), (5.5, 0.35, 0.2)][a]
    f = f * rng.normal(1, 0.07)
    amp = amp * rng.lognormal(0, 0.25)
    gravity = rng.normal(0, 1, 3)
    gravity /= np.linalg.norm(gravity)
    mix = rng.normal(0, 1, 3)
    x = np.stack([mix[c] * amp * (np.sin(2 * np.pi * f * t + ph[0]) + harm * np.sin(4 * np.pi * f * t + ph[1]))
                  for c in range(3)])
    return (x + 0.5 * gravity[:, None] + rng.normal(0, 0.25, (3, T))).astype(np.float32)


def dataset(n):
    y = rng.integers(0, len(ACTIVITIES), n)
    return torch.from_numpy(np.stack([window(a) for a in y])), y


def augment(x):
    """Random rotation of the sensor frame, circular time shift, gain, jitter."""
    b = x.size(0)
    q, r = torch.linalg.qr(torch.randn(b, 3, 3))
    q = q * torch.sign(torch.diagonal(r, dim1=1, dim2=2)).unsqueeze(1)
    x = q @ x
    shift = torch.randint(0, T, (b, 1))
    idx = (torch.arange(T).unsqueeze(0) + shift) % T
    x = x.gather(2, idx.unsqueeze(1).expand(-1, 3, -1))
    gain = torch.empty(b, 1, 1).uniform_(0.8, 1.25)
    return x * gain + 0.1 * torch.randn_like(x)


class Encoder(nn.Module):
    def __init__(self, width=24, dim=48):
        super().__init__()
        self.net = nn.Sequential(
            nn.Conv1d(3, width, 9, stride=2, padding=4), nn.BatchNorm1d(width), nn.ReLU(),
            nn.Conv1d(width, 2 * width, 7, stride=2, padding=3), nn.BatchNorm1d(2 * width), nn.ReLU(),
            nn.Conv1d(2 * width, dim, 5, padding=2), nn.BatchNorm1d(dim), nn.ReLU(),
            nn.AdaptiveAvgPool1d(1), nn.Flatten())

    def forward(self, x):
        return self.net(x)


def nt_xent(z1, z2, temperature=0.2):
    z = F.normalize(torch.cat([z1, z2]), dim=1)
    n = z1.size(0)
    sim = z @ z.T / temperature
    sim.fill_diagonal_(float("-inf"))
    target = torch.cat([torch.arange(n, 2 * n), torch.arange(n)])
    return F.cross_entropy(sim, target)


@torch.no_grad()
def embed(enc, x):
    enc.eval()
    return enc(x).numpy()


def probe(enc, x_lab, y_lab, x_test, y_test):
    sc = StandardScaler()
    a = sc.fit_transform(embed(enc, x_lab))
    clf = LogisticRegression(C=0.5, max_iter=2000).fit(a, y_lab)
    return clf.score(sc.transform(embed(enc, x_test)), y_test)


x_unl, _ = dataset(2000)
x_lab, y_lab = dataset(600)
keep = np.concatenate([np.flatnonzero(y_lab == a)[:10] for a in range(len(ACTIVITIES))])
x_lab, y_lab = x_lab[torch.from_numpy(keep)], y_lab[keep]
x_test, y_test = dataset(1200)
mu, sd = x_unl.mean((0, 2), keepdim=True), x_unl.std()
x_unl, x_lab, x_test = [(v - mu) / sd for v in (x_unl, x_lab, x_test)]

encoder = Encoder()
projector = nn.Sequential(nn.Linear(48, 48), nn.ReLU(), nn.Linear(48, 24))
random_acc = probe(encoder, x_lab, y_lab, x_test, y_test)

params = [*encoder.parameters(), *projector.parameters()]
opt = torch.optim.AdamW(params, lr=2e-3, weight_decay=1e-4)
epochs, batch = 10, 128
steps_per_epoch = len(x_unl) // batch
sched = torch.optim.lr_scheduler.CosineAnnealingWarmRestarts(opt, T_0=5 * steps_per_epoch)
for epoch in range(epochs):
    encoder.train()
    projector.train()
    total = 0.0
    for rows in torch.randperm(len(x_unl))[: steps_per_epoch * batch].split(batch):
        v = x_unl[rows]
        loss = nt_xent(projector(encoder(augment(v))), projector(encoder(augment(v))))
        opt.zero_grad()
        loss.backward()
        opt.step()
        sched.step()
        total += loss.item()
    if epoch % 3 == 0:
        print(f"epoch {epoch:2d} nt-xent {total / steps_per_epoch:.3f} (uniform {np.log(2 * batch - 1):.3f})")

encoder.requires_grad_(False)
print(f"linear probe, {len(y_lab)} labels: pretrained {probe(encoder, x_lab, y_lab, x_test, y_test):.4f}  "
      f"random encoder {random_acc:.4f}  chance {1 / len(ACTIVITIES):.4f}")
