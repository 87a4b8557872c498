# -*- coding: utf-8 -*-
# Prévision de charge électrique (données simulées), GRU, horizon d'une heure.
import math
import numpy as np
import torch
from torch import nn
from torch.utils.data import Dataset, DataLoader

GRAINE = 3
FENETRE = 24
EPOQUES = 30
torch.manual_seed(GRAINE)
rng = np.random.default_rng(GRAINE)


def simuler(n):
    t = np.arange(n)
    jour = 1.0 * np.sin(2 * math.pi * t / 24) + 0.5 * np.sin(4 * math.pi * t / 24 + 0.7)
    semaine = 0.6 * np.sin(2 * math.pi * t / 168)
    bruit = np.zeros(n)
    for i in range(2, n):
        bruit[i] = 1.5 * bruit[i - 1] - 0.7 * bruit[i - 2] + 0.15 * rng.normal()
    modul = 1 + 0.4 * np.tanh(bruit)
    return (10 + 3 * jour * modul + 2 * semaine + bruit).astype(np.float32)


class Fenetres(Dataset):
    """Fenêtre de FENETRE heures -> valeur de l'heure suivante."""

    def __init__(self, serie):
        self.serie = torch.from_numpy(serie)

    def __len__(self):
        return len(self.serie) - FENETRE

    def __getitem__(self, i):
        return self.serie[i:i + FENETRE].unsqueeze(-1), self.serie[i + FENETRE]


class Reseau(nn.Module):
    def __init__(self, cache=24):
        super().__init__()
        self.gru = nn.GRU(1, cache, batch_first=True)
        self.sortie = nn.Linear(cache, 1)

    def forward(self, x):
        h, _ = self.gru(x)
        return self.sortie(h[:, -1]).squeeze(-1)


def evaluer(reseau, chargeur):
    reseau.eval()
    somme, n = 0.0, 0
    with torch.no_grad():
        for x, y in chargeur:
            somme += ((reseau(x) - y) ** 2).sum().item()
            n += len(y)
    return somme / n


serie = simuler(2600)
# découpage chronologique : apprentissage | validation | test
a, b = 1800, 2200
moyenne, ecart = serie[:a].mean(), serie[:a].std()
norm = (serie - moyenne) / ecart
app = DataLoader(Fenetres(norm[:a]), batch_size=64, shuffle=True)
val = DataLoader(Fenetres(norm[a:b]), batch_size=256)
tst = DataLoader(Fenetres(norm[b:]), batch_size=256)

reseau = Reseau()
critere = nn.MSELoss()
optim = torch.optim.Adam(reseau.parameters(), lr=6e-3)
plateau = torch.optim.lr_scheduler.ReduceLROnPlateau(optim, mode="max", factor=0.3, patience=2)

for epoque in range(EPOQUES):
    reseau.train()
    cumul, vus = 0.0, 0
    for x, y in app:
        optim.zero_grad()
        perte = critere(reseau(x), y)
        perte.backward()
        optim.step()
        cumul += perte.item() * len(y)
        vus += len(y)
    perte_val = evaluer(reseau, val)
    plateau.step(perte_val)
    if epoque % 3 == 2:
        print(f"époque {epoque + 1:2d}  perte {cumul / vus:.4f}  validation {perte_val:.4f}")

naif = np.mean((norm[b + FENETRE:] - norm[b + FENETRE - 1:-1]) ** 2)
rmse = math.sqrt(evaluer(reseau, tst)) * ecart
print(f"RMSE test : {rmse:.3f}   (persistance : {math.sqrt(naif) * ecart:.3f})")
