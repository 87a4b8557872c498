# Weinsorten-Klassifikation: Kreuzvalidierung mit fünf Faltungen.
# Am Ende stimmen alle fünf Netze gemeinsam über die zurückgelegten Testzeilen ab.
from dataclasses import dataclass

import numpy as np
import torch
from sklearn.datasets import load_wine
from sklearn.model_selection import StratifiedKFold, train_test_split
from sklearn.preprocessing import StandardScaler
from torch import nn


@dataclass(frozen=True)
class Einstellungen:
    faltungen: int = 5
    epochen: int = 60
    stapel: int = 16
    lernrate: float = 3e-3
    gewichtszerfall: float = 1e-2
    versteckt: int = 24
    saat: int = 17


def netz_bauen(eingang: int, ausgang: int, cfg: Einstellungen) -> nn.Module:
    return nn.Sequential(
        nn.Linear(eingang, cfg.versteckt), nn.Tanh(), nn.Dropout(0.2),
        nn.Linear(cfg.versteckt, ausgang),
    )


def als_tensor(skalierer, x):
    return torch.as_tensor(skalierer.transform(x), dtype=torch.float32)


def trainieren(netz, x, y, cfg):
    optimierer = torch.optim.AdamW(netz.parameters(), lr=cfg.lernrate, weight_decay=cfg.gewichtszerfall)
    verlust_fn = nn.CrossEntropyLoss()
    netz.train()
    for _ in range(cfg.epochen):
        summe = 0.0
        for zeilen in torch.randperm(len(x)).split(cfg.stapel):
            optimierer.zero_grad()
            verlust = verlust_fn(netz(x[zeilen]), y[zeilen])
            verlust.backward()
            optimierer.step()
            summe += verlust.item() * len(zeilen)
    return summe / len(x)


@torch.no_grad()
def wahrscheinlichkeiten(netz, x):
    netz.eval()
    return netz(x).softmax(dim=1)


def hauptprogramm(cfg=Einstellungen()):
    torch.manual_seed(cfg.saat)
    np.random.seed(cfg.saat)
    x, y = load_wine(return_X_y=True)
    x_rest, x_test, y_rest, y_test = train_test_split(x, y, test_size=0.25, stratify=y, random_state=cfg.saat)

    ausschuss, punkte = [], []
    teiler = StratifiedKFold(n_splits=cfg.faltungen, shuffle=True, random_state=cfg.saat)
    for nummer, (lern, pruef) in enumerate(teiler.split(x_rest, y_rest), start=1):
        skalierer = StandardScaler().fit(x_rest[lern])
        netz = netz_bauen(x.shape[1], int(y.max()) + 1, cfg)
        verlust = trainieren(netz, als_tensor(skalierer, x_rest[lern]), torch.as_tensor(y_rest[lern]), cfg)
        p = wahrscheinlichkeiten(netz, als_tensor(skalierer, x_rest[pruef]))
        treffer = (p.argmax(1).numpy() == y_rest[pruef]).mean()
        punkte.append(treffer)
        ausschuss.append((skalierer, netz))
        print(f"Faltung {nummer}: Trainingsverlust {verlust:.4f}, Genauigkeit {treffer:.3f}")
    print(f"Kreuzvalidierung: {np.mean(punkte):.3f} ± {np.std(punkte):.3f}")

    stimmen = torch.stack([wahrscheinlichkeiten(n, als_tensor(s, x_test)) for s, n in ausschuss]).mean(0)
    genau = (stimmen.argmax(1).numpy() == y_test).mean()
    print(f"Ausschuss auf den Testzeilen: {genau:.3f}")


if __name__ == "__main__":
    hauptprogramm()
