# Klassifikation von Motorgeräuschen (5 Bauarten) mit einem kleinen 1D-CNN
import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
from sklearn.model_selection import train_test_split

np.random.seed(1)
torch.manual_seed(1)

RATE = 1000          # Hz
DAUER = 0.256        # s
KLASSEN = {          # Grundfrequenz, Obertöne (relative Stärke)
    0: (40, (1.0, 0.5, 0.1)),
    1: (40, (0.4, 1.0, 0.6)),
    2: (55, (1.0, 0.2, 0.8)),
    3: (70, (1.0, 0.6, 0.2)),
    4: (70, (0.3, 0.4, 1.0)),
}


def aufnahme(klasse):
    f0, obertoene = KLASSEN[klasse]
    t = np.arange(int(RATE * DAUER)) / RATE
    f0 = f0 * np.random.uniform(0.95, 1.05)
    sig = np.zeros_like(t)
    for k, a in enumerate(obertoene, start=1):
        sig += a * np.random.uniform(0.8, 1.2) * np.sin(2 * np.pi * k * f0 * t + np.random.uniform(0, 2 * np.pi))
    sig += np.random.normal(0, 0.6, size=t.shape)
    return (sig / sig.std()).astype(np.float32)


def datensatz(pro_klasse):
    x = np.stack([aufnahme(k) for k in KLASSEN for _ in range(pro_klasse)])
    y = np.repeat(np.arange(len(KLASSEN)), pro_klasse)
    return x[:, None, :], y


class GeraeuschNetz(nn.Module):
    def __init__(self):
        super().__init__()
        self.c1 = nn.Conv1d(1, 16, 15, stride=2, padding=7)
        self.c2 = nn.Conv1d(16, 32, 9, stride=2, padding=4)
        self.c3 = nn.Conv1d(32, 32, 5, stride=2, padding=2)
        self.fc = nn.Linear(32, len(KLASSEN))

    def forward(self, x):
        x = F.relu(self.c1(x))
        x = F.relu(self.c2(x))
        x = F.relu(self.c3(x))
        return self.fc(x.mean(dim=2))


X, Y = datensatz(600)
X_rest, X_test, Y_rest, Y_test = train_test_split(X, Y, test_size=0.2, stratify=Y, random_state=0)
X_train, X_val, Y_train, Y_val = train_test_split(X_rest, Y_rest, test_size=0.15, stratify=Y_rest, random_state=0)
X_train, X_val, X_test = map(torch.from_numpy, (X_train, X_val, X_test))
Y_train, Y_val, Y_test = map(torch.from_numpy, (Y_train, Y_val, Y_test))

netz = GeraeuschNetz()
opt = torch.optim.Adam(netz.parameters(), lr=2e-3, weight_decay=0.1)
EPOCHEN, BATCH = 14, 64
plan = torch.optim.lr_scheduler.CosineAnnealingLR(opt, T_max=EPOCHEN)


@torch.no_grad()
def pruefen(x, y):
    netz.eval()
    logits = netz(x)
    return F.cross_entropy(logits, y).item(), (logits.argmax(1) == y).float().mean().item()


for epoche in range(1, EPOCHEN + 1):
    netz.train()
    reihenfolge = torch.randperm(len(X_train))
    summe = 0.0
    for i in range(0, len(reihenfolge), BATCH):
        idx = reihenfolge[i:i + BATCH]
        verlust = F.cross_entropy(netz(X_train[idx]), Y_train[idx])
        opt.zero_grad()
        verlust.backward()
        opt.step()
        summe += verlust.item() * len(idx)
    plan.step()
    v_verlust, v_genau = pruefen(X_val, Y_val)
    if epoche % 2 == 0:
        print(f"Epoche {epoche:2d}  Verlust {summe / len(X_train):.4f}  Val-Verlust {v_verlust:.4f}  Val-Genauigkeit {v_genau:.3f}")

_, genau = pruefen(X_test, Y_test)
print(f"Genauigkeit auf den Testaufnahmen: {genau:.3f}")
