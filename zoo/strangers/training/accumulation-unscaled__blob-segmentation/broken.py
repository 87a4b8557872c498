# Segmentierung von Zellen auf kleinen synthetischen Mikroskopbildern
import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(21)
rng = np.random.default_rng(21)

GROESSE = 24
MIKRO = 8        # passt in den Speicher
SCHRITTE = 8     # effektive Batchgroesse 64
EPOCHEN = 8


def bild():
    yy, xx = np.mgrid[:GROESSE, :GROESSE]
    maske = np.zeros((GROESSE, GROESSE), bool)
    for _ in range(rng.integers(2, 5)):
        cy, cx = rng.uniform(3, GROESSE - 3, 2)
        ry, rx = rng.uniform(3.0, 6.0, 2)
        maske |= ((yy - cy) / ry) ** 2 + ((xx - cx) / rx) ** 2 < 1
    verlauf = rng.uniform(-0.5, 0.5) * (xx / GROESSE - 0.5)
    img = 0.8 * maske + verlauf + rng.normal(0, 0.7, maske.shape)
    return img.astype(np.float32), maske.astype(np.float32)


def menge(n):
    paare = [bild() for _ in range(n)]
    x = torch.from_numpy(np.stack([p[0] for p in paare]))[:, None]
    y = torch.from_numpy(np.stack([p[1] for p in paare]))[:, None]
    return x, y


class MiniUNet(nn.Module):
    def __init__(self, k=8):
        super().__init__()
        self.ein = nn.Sequential(nn.Conv2d(1, k, 3, padding=1), nn.ReLU(), nn.Conv2d(k, k, 3, padding=1), nn.ReLU())
        self.tief = nn.Sequential(nn.Conv2d(k, 2 * k, 3, padding=1), nn.ReLU(),
                                  nn.Conv2d(2 * k, k, 3, padding=1), nn.ReLU())
        self.aus = nn.Sequential(nn.Conv2d(2 * k, k, 3, padding=1), nn.ReLU(), nn.Conv2d(k, 1, 1))

    def forward(self, x):
        a = self.ein(x)
        b = self.tief(F.max_pool2d(a, 2))
        b = F.interpolate(b, scale_factor=2, mode="nearest")
        return self.aus(torch.cat([a, b], 1))


def iou(netz, x, y):
    netz.eval()
    with torch.no_grad():
        vorher = torch.sigmoid(netz(x)) > 0.5
    wahr = y > 0.5
    return ((vorher & wahr).sum() / (vorher | wahr).sum()).item()


x_train, y_train = menge(1024)
x_val, y_val = menge(128)
x_test, y_test = menge(256)
m, s = x_train.mean(), x_train.std()
x_train, x_val, x_test = (x_train - m) / s, (x_val - m) / s, (x_test - m) / s
print("Anteil Zelle im Training: %.2f" % y_train.mean().item())

netz = MiniUNet()
opt = torch.optim.SGD(netz.parameters(), lr=0.3, momentum=0.9)
plan = torch.optim.lr_scheduler.CosineAnnealingLR(opt, EPOCHEN)
kriterium = nn.BCEWithLogitsLoss()

for epoche in range(EPOCHEN):
    netz.train()
    reihe = torch.randperm(len(x_train))
    summe = 0.0
    opt.zero_grad()
    for i, idx in enumerate(reihe.split(MIKRO)):
        verlust = kriterium(netz(x_train[idx]), y_train[idx])
        verlust.backward()
        summe += verlust.item() * len(idx)
        if (i + 1) % SCHRITTE == 0:
            opt.step()
            opt.zero_grad()
    plan.step()
    print(f"Epoche {epoche + 1:2d}: Verlust {summe / len(x_train):.4f}  IoU(val) {iou(netz, x_val, y_val):.3f}")

print(f"IoU auf den Testbildern: {iou(netz, x_test, y_test):.3f}")
