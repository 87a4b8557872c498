# Etiquetas de peliculas (multi-etiqueta): accion, comedia, drama, terror, romance
# cada sinopsis es una bolsa de palabras
import numpy as np
import torch
import torch.nn as nn
from sklearn.metrics import f1_score
from torch.utils.data import DataLoader, TensorDataset, random_split

torch.manual_seed(55)
np.random.seed(55)

etiquetas = ["accion", "comedia", "drama", "terror", "romance"]
n_peliculas, n_vocab, largo = 4000, 120, 40

# cada genero tiene sus palabras preferidas, mas palabras comunes
base = np.full(n_vocab, 1.0)
temas = np.zeros((5, n_vocab))
for g in range(5):
    temas[g, g * 15:(g + 1) * 15] = np.random.uniform(3, 8, 15)

Y = (np.random.rand(n_peliculas, 5) < np.array([0.35, 0.4, 0.45, 0.3, 0.35])).astype(np.float32)
X = np.zeros((n_peliculas, n_vocab), dtype=np.float32)
for i in range(n_peliculas):
    p = base + Y[i] @ temas
    X[i] = np.random.multinomial(largo, p / p.sum())

X = torch.from_numpy(np.sqrt(X))
Y = torch.from_numpy(Y)
entrena, valida, prueba = random_split(TensorDataset(X, Y), [2800, 400, 800])

media = X[entrena.indices].mean(0)
desv = X[entrena.indices].std(0)

dl_entrena = DataLoader(entrena, batch_size=40, shuffle=True)
dl_valida = DataLoader(valida, batch_size=200)
dl_prueba = DataLoader(prueba, batch_size=200)


class RedEtiquetas(nn.Module):
    def __init__(self, media, desv):
        super().__init__()
        self.register_buffer("media", media)
        self.register_buffer("desv", desv)
        self.red = nn.Sequential(
            nn.Linear(n_vocab, 32), nn.ReLU(), nn.Dropout(0.3), nn.Linear(32, len(etiquetas)))

    def forward(self, x):
        return self.red((x - self.media) / self.desv)


modelo = RedEtiquetas(media, desv)
perdida = nn.BCEWithLogitsLoss()
optim = torch.optim.Adam(modelo.parameters(), lr=1e-3, weight_decay=1e-3)


def predecir(dl):
    modelo.eval()
    ps, ys = [], []
    with torch.no_grad():
        for x, y in dl:
            ps.append(torch.sigmoid(modelo(x)))
            ys.append(y)
    return torch.cat(ps), torch.cat(ys)


for epoca in range(20):
    modelo.train()
    suma, n = 0.0, 0
    for x, y in dl_entrena:
        optim.zero_grad()
        l = perdida(modelo(x), y)
        l.backward()
        optim.step()
        suma += l.item() * x.size(0)
        n += x.size(0)
    if epoca % 2 == 1:
        p, y = predecir(dl_valida)
        lv = nn.functional.binary_cross_entropy(p, y).item()
        print(f"epoca {epoca + 1:2d}  perdida {suma / n:.4f}  validacion {lv:.4f}")

p, y = predecir(dl_prueba)
b = (p > 0.5).int().numpy()
y = y.int().numpy()
print("F1 micro %.3f   F1 macro %.3f" % (f1_score(y, b, average="micro"), f1_score(y, b, average="macro")))
for nombre, f in zip(etiquetas, f1_score(y, b, average=None)):
    print(f"   {nombre:8s} {f:.3f}")
