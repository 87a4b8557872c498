import torch, torch.nn.functional as F
from torch import nn
from sklearn.datasets import load_digits
from sklearn.linear_model import LogisticRegression

torch.manual_seed(0)
d = load_digits()
X = torch.tensor(d.images, dtype=torch.float32)[:, None] / 16
y = d.target


def augment(x):
    x = torch.roll(x, (int(torch.randint(-1, 2, ())), int(torch.randint(-1, 2, ()))), (2, 3))
    return (x * (0.8 + 0.4 * torch.rand(len(x), 1, 1, 1)) + 0.1 * torch.randn_like(x)).clamp(0, 1)


enc = nn.Sequential(
    nn.Conv2d(1, 16, 3, padding=1),
    nn.BatchNorm2d(16),
    nn.ReLU(),
    nn.Conv2d(16, 32, 3, stride=2, padding=1),
    nn.ReLU(),
    nn.Flatten(),
    nn.Linear(512, 64),
)
proj = nn.Sequential(nn.ReLU(), nn.Linear(64, 32))
opt = torch.optim.Adam([*enc.parameters(), *proj.parameters()], lr=1e-3)
for ep in range(8):
    tot = n = 0
    for b in torch.randperm(1400).split(128):
        if len(b) < 128:
            continue
        z = F.normalize(proj(enc(torch.cat([augment(X[b]), augment(X[b])]))), dim=1)
        sim = z @ z.T / 0.5
        sim = sim.masked_fill(torch.eye(256, dtype=torch.bool), float("-inf"))
        lab = torch.cat([torch.arange(128, 256), torch.arange(128)])
        loss = F.cross_entropy(sim, lab)
        opt.zero_grad()
        loss.backward()
        opt.step()
        tot += loss.item()
        n += 1
    print(ep, tot / n)
enc.eval()
with torch.no_grad():
    h = enc(X).numpy()
print("probe", LogisticRegression(max_iter=500).fit(h[:1400], y[:1400]).score(h[1400:], y[1400:]))
