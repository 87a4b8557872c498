# Reconnaissance de gestes à partir d'un accéléromètre 3 axes (données simulées)
import numpy as np
import torch
from torch import nn

graine = 12
np.random.seed(graine)
torch.manual_seed(graine)

GESTES = ["cercle", "zigzag", "poussée", "secousse", "vague"]
DUREE = 30


def geste(k):
    t = np.linspace(0, 1, DUREE)
    f = np.random.uniform(0.8, 1.2)
    d = np.random.uniform(0, 0.5)
    a = np.random.uniform(0.7, 1.3)
    if k == 0:
        s = [np.cos(2 * np.pi * (f * t + d)), np.sin(2 * np.pi * (f * t + d)), 0 * t]
    elif k == 1:
        s = [t * 2 - 1, np.sign(np.sin(6 * np.pi * (f * t + d))), 0 * t]
    elif k == 2:
        s = [0 * t, 0 * t, 2.5 * np.exp(-((t - 0.3 - d / 2) / 0.12) ** 2)]
    elif k == 3:
        s = [np.sin(14 * np.pi * f * t + d), 0 * t, np.sin(14 * np.pi * f * t + 2 * d)]
    else:
        s = [0 * t, np.sin(2 * np.pi * (f * t + d)), np.cos(4 * np.pi * (f * t + d))]
    return a * np.stack(s, axis=1) + np.random.normal(0, 0.45, (DUREE, 3))


def fabrique(n):
    y = np.random.randint(0, len(GESTES), n)
    x = np.stack([geste(k) for k in y])
    return torch.tensor(x, dtype=torch.float32), torch.tensor(y)


x_app, y_app = fabrique(2000)
x_val, y_val = fabrique(400)
x_test, y_test = fabrique(600)

moy, ect = x_app.mean((0, 1)), x_app.std((0, 1))
x_app, x_val, x_test = [(x - moy) / ect for x in (x_app, x_val, x_test)]


class Reseau(nn.Module):
    def __init__(self, cache=40):
        super().__init__()
        self.gru = nn.GRU(3, cache)
        self.sortie = nn.Linear(cache, len(GESTES))

    def forward(self, x):
        # le GRU attend (temps, lot, axes)
        lot, temps, axes = x.shape
        x = x.reshape(temps, lot, axes)
        h, _ = self.gru(x)
        return self.sortie(h[-1])


modele = Reseau()
optim = torch.optim.Adam(modele.parameters(), lr=4e-3)
perte = nn.CrossEntropyLoss()


def evalue(x, y, taille=100):
    modele.eval()
    bons, somme = 0, 0.0
    with torch.no_grad():
        for i in range(0, len(x), taille):
            s = modele(x[i:i + taille])
            somme += perte(s, y[i:i + taille]).item() * len(s)
            bons += (s.argmax(1) == y[i:i + taille]).sum().item()
    return somme / len(x), bons / len(x)


EPOQUES = 9
plan = torch.optim.lr_scheduler.CosineAnnealingLR(optim, EPOQUES)
for e in range(EPOQUES):
    modele.train()
    ordre = torch.randperm(len(x_app))
    cumul = 0.0
    for i in range(0, len(ordre), 50):
        lot = ordre[i:i + 50]
        optim.zero_grad()
        l = perte(modele(x_app[lot]), y_app[lot])
        l.backward()
        optim.step()
        cumul += l.item() * len(lot)
    plan.step()
    pv, jv = evalue(x_val, y_val)
    print(f"époque {e + 1:2d} | perte {cumul / len(x_app):.4f} | val. {pv:.4f} | justesse val. {jv:.3f}")

_, jt = evalue(x_test, y_test)
print(f"justesse sur le test : {jt:.3f} (hasard {1 / len(GESTES):.2f})")
