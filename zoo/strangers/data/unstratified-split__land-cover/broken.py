# clasificacion de cobertura del suelo a partir de firmas espectrales (simuladas)
import numpy as np
import torch
import torch.nn as nn
import torch.optim as optim
from sklearn.metrics import classification_report, f1_score
from torch.utils.data import DataLoader, Dataset

np.random.seed(99)
torch.manual_seed(99)

clases = ["bosque", "pastizal", "cultivo", "suelo", "urbano", "agua"]
pixeles = [420, 380, 330, 280, 220, 170]
n_bandas = 10


def firmas(c, n):
    # cada clase tiene dos variantes (seca / humeda) y un brillo propio de la escena
    bandas = np.linspace(0, 1, n_bandas)
    centro = 0.15 + 0.14 * c
    humeda = np.random.rand(n, 1) < 0.5
    curva = np.exp(-((bandas[None] - centro) ** 2) / 0.03) + 0.3 * np.sin(3 * bandas[None] + c)
    curva = curva + np.where(humeda, -0.25 * bandas[None], 0.25 * bandas[None])
    brillo = np.random.uniform(0.75, 1.25, (n, 1))
    return brillo * curva + np.random.normal(0, 0.14, (n, n_bandas))


# los poligonos se digitalizaron clase por clase
X = np.concatenate([firmas(c, n) for c, n in enumerate(pixeles)]).astype("float32")
y = np.concatenate([np.full(n, c) for c, n in enumerate(pixeles)])

corte = int(0.75 * len(X))
X_train, X_test = X[:corte], X[corte:]
y_train, y_test = y[:corte], y[corte:]
print("entrenamiento:", X_train.shape, " prueba:", X_test.shape)

media, desv = X_train.mean(axis=0), X_train.std(axis=0)


class Firmas(Dataset):
    def __init__(self, X, y):
        self.X = torch.tensor((X - media) / desv)
        self.y = torch.tensor(y, dtype=torch.long)

    def __len__(self):
        return len(self.y)

    def __getitem__(self, i):
        return self.X[i], self.y[i]


train_loader = DataLoader(Firmas(X_train, y_train), batch_size=32, shuffle=True)
test_loader = DataLoader(Firmas(X_test, y_test), batch_size=128)


class Red(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc1 = nn.Linear(n_bandas, 48)
        self.fc2 = nn.Linear(48, 32)
        self.fc3 = nn.Linear(32, len(clases))
        self.drop = nn.Dropout(0.2)

    def forward(self, x):
        x = torch.relu(self.fc1(x))
        x = self.drop(x)
        x = torch.relu(self.fc2(x))
        return self.fc3(x)


red = Red()
criterio = nn.CrossEntropyLoss()
optimizador = optim.Adam(red.parameters(), lr=1e-3, weight_decay=1e-4)

n_epocas = 30
for epoca in range(n_epocas):
    red.train()
    perdida, aciertos, n = 0.0, 0, 0
    for xb, yb in train_loader:
        optimizador.zero_grad()
        salida = red(xb)
        p = criterio(salida, yb)
        p.backward()
        optimizador.step()
        perdida += p.item() * len(yb)
        aciertos += (salida.argmax(1) == yb).sum().item()
        n += len(yb)
    if (epoca + 1) % 3 == 0:
        print("epoca %2d  perdida %.4f  exactitud (entrenamiento) %.3f" % (epoca + 1, perdida / n, aciertos / n))

red.eval()
real, pred = [], []
with torch.no_grad():
    for xb, yb in test_loader:
        pred.extend(red(xb).argmax(1).tolist())
        real.extend(yb.tolist())
real, pred = np.array(real), np.array(pred)
print("exactitud en prueba: %.3f   F1 macro: %.3f" % ((real == pred).mean(), f1_score(real, pred, average="macro", zero_division=0)))
print(classification_report(real, pred, labels=range(len(clases)), target_names=clases, zero_division=0))
