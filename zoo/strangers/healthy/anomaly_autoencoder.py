"""Anomaliedetektion an Pressensignalen: ein Autoencoder lernt nur den Gutzustand, die Schwelle kommt aus der Validierung."""
import numpy as np
import torch
from sklearn.metrics import average_precision_score, roc_auc_score
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

SAAT = 99
LAENGE = 64
EPOCHEN = 25


def hub(rng: np.random.Generator) -> np.ndarray:
    """Ein guter Presshub: Anstieg, Kraftspitze und Abklingen."""
    t = np.linspace(0, 1, LAENGE)
    mitte, breite, spitze = rng.uniform(0.4, 0.5), rng.uniform(0.08, 0.12), rng.uniform(0.9, 1.3)
    kraft = spitze * np.exp(-((t - mitte) / breite) ** 2) + 0.3 * spitze * np.exp(-((t - mitte - 0.25) / 0.1) ** 2)
    return kraft + rng.normal(0, 0.03, LAENGE)


def stoere(signal: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    kaputt = signal.copy()
    art = rng.integers(3)
    ort = rng.integers(8, LAENGE - 16)
    if art == 0:
        kaputt[ort:ort + 3] += rng.choice([-1, 1]) * 0.22
    elif art == 1:
        kaputt[ort:] += rng.choice([-1, 1]) * 0.1
    else:
        kaputt += 0.06 * np.sin(np.linspace(0, 40, LAENGE))
    return kaputt


def daten(rng):
    gut = lambda n: np.stack([hub(rng) for _ in range(n)]).astype(np.float32)
    training, validierung = gut(1600), gut(300)
    test_gut = gut(600)
    test_schlecht = np.stack([stoere(hub(rng), rng) for _ in range(40)]).astype(np.float32)
    test = np.concatenate([test_gut, test_schlecht])
    ist_anomalie = np.r_[np.zeros(len(test_gut)), np.ones(len(test_schlecht))].astype(int)
    return training, validierung, test, ist_anomalie


class Autoencoder(nn.Module):
    def __init__(self, engpass: int = 6):
        super().__init__()
        self.kodierer = nn.Sequential(nn.Linear(LAENGE, 48), nn.ELU(), nn.Linear(48, engpass))
        self.dekodierer = nn.Sequential(nn.Linear(engpass, 48), nn.ELU(), nn.Linear(48, LAENGE))

    def forward(self, x):
        return self.dekodierer(self.kodierer(x))


@torch.no_grad()
def fehler(modell, x):
    modell.eval()
    return (modell(x) - x).square().mean(dim=1)


def hauptprogramm():
    torch.manual_seed(SAAT)
    training, validierung, test, ist_anomalie = daten(np.random.default_rng(SAAT))
    mittel, streuung = training.mean(), training.std()
    training, validierung, test = (torch.from_numpy((d - mittel) / streuung) for d in (training, validierung, test))

    modell = Autoencoder()
    optimierer = torch.optim.Adam(modell.parameters(), lr=2e-3)
    plan = torch.optim.lr_scheduler.CosineAnnealingLR(optimierer, T_max=EPOCHEN, eta_min=1e-4)
    lader = DataLoader(TensorDataset(training), batch_size=64, shuffle=True)
    verlust = nn.MSELoss()

    for epoche in range(EPOCHEN):
        modell.train()
        summe = 0.0
        for (x,) in lader:
            optimierer.zero_grad()
            kosten = verlust(modell(x), x)
            kosten.backward()
            optimierer.step()
            summe += kosten.item() * len(x)
        plan.step()
        if epoche % 5 == 4:
            print(f"Epoche {epoche + 1:3d}: Training {summe / len(training):.5f}, "
                  f"Validierung {fehler(modell, validierung).mean():.5f}")

    schwelle = torch.quantile(fehler(modell, validierung), 0.99)
    punkte = fehler(modell, test)
    alarm = (punkte > schwelle).numpy()
    print(f"ROC-AUC {roc_auc_score(ist_anomalie, punkte):.4f}  AP {average_precision_score(ist_anomalie, punkte):.4f}")
    print(f"Alarme: {alarm[ist_anomalie == 1].mean():.2%} der Anomalien, {alarm[ist_anomalie == 0].mean():.2%} der Gutteile")


if __name__ == "__main__":
    hauptprogramm()
