# Lastzustand einer Pumpe aus Schwingungsdaten (leer / normal / ueberlastet)
import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
rng = np.random.default_rng(0)

FENSTER = 128
KLASSEN = ("leer", "normal", "ueberlastet")
PEGEL = (0.6, 1.0, 1.6)      # mittlere Schwinggeschwindigkeit in mm/s


def messung(klasse):
    """Ein Fenster: Drehfrequenz, Oberwelle und Rauschen; mit der Last waechst die Schwingung."""
    t = np.arange(FENSTER)
    f = rng.uniform(0.05, 0.07)
    s = np.sin(2 * np.pi * f * t + rng.uniform(0, 6.28))
    s += 0.5 * np.sin(4 * np.pi * f * t + rng.uniform(0, 6.28))
    s += rng.normal(0, 0.6, FENSTER)
    return PEGEL[klasse] * rng.lognormal(0, 0.12) * s


def datensatz(n):
    y = rng.integers(0, 3, n)
    x = np.stack([messung(k) for k in y])
    return x.astype(np.float32), y.astype(np.int64)


x_train, y_train = datensatz(1800)
x_val, y_val = datensatz(400)
x_test, y_test = datensatz(600)


def normieren(x):
    x = (x - x.mean(axis=1, keepdims=True)) / x.std(axis=1, keepdims=True)
    return torch.from_numpy(x).unsqueeze(1)


train_loader = DataLoader(TensorDataset(normieren(x_train), torch.from_numpy(y_train)), batch_size=50, shuffle=True)
val_loader = DataLoader(TensorDataset(normieren(x_val), torch.from_numpy(y_val)), batch_size=200)
test_loader = DataLoader(TensorDataset(normieren(x_test), torch.from_numpy(y_test)), batch_size=200)


class Netz(nn.Module):
    def __init__(self):
        super().__init__()
        self.faltung = nn.Sequential(
            nn.Conv1d(1, 12, 9, padding=4), nn.ReLU(),
            nn.Conv1d(12, 24, 5, stride=2, padding=2), nn.ReLU(),
        )
        self.kopf = nn.Sequential(nn.Linear(24, 24), nn.ReLU(), nn.Linear(24, 3))

    def forward(self, x):
        return self.kopf(self.faltung(x).mean(dim=2))


def pruefen(netz, loader):
    netz.eval()
    richtig, verlust, n = 0, 0.0, 0
    with torch.no_grad():
        for x, y in loader:
            z = netz(x)
            verlust += nn.functional.cross_entropy(z, y, reduction="sum").item()
            richtig += (z.argmax(1) == y).sum().item()
            n += len(y)
    return verlust / n, richtig / n


netz = Netz()
opt = torch.optim.Adam(netz.parameters(), lr=2e-3)

for epoche in range(1, 16):
    netz.train()
    summe = 0.0
    for x, y in train_loader:
        opt.zero_grad()
        verlust = nn.functional.cross_entropy(netz(x), y)
        verlust.backward()
        opt.step()
        summe += verlust.item() * len(y)
    v_verlust, v_genau = pruefen(netz, val_loader)
    print(f"Epoche {epoche:2d}  Verlust {summe / len(y_train):.4f}  Validierung {v_verlust:.4f}  Genauigkeit {v_genau:.3f}")

t_verlust, t_genau = pruefen(netz, test_loader)
print(f"Test: Verlust {t_verlust:.4f}  Genauigkeit {t_genau:.3f}")
