#!/usr/bin/env python
# coding: utf-8

# # Clasificación multietiqueta de reseñas
# Cuaderno exportado. Cada reseña puede hablar de varios temas a la vez.

# In[1]:

import numpy as np
import torch
from torch import nn
from sklearn.metrics import f1_score
from sklearn.model_selection import train_test_split

SEMILLA = 8
rng = np.random.default_rng(SEMILLA)
torch.manual_seed(SEMILLA)

# In[2]: generar el corpus

TEMAS = ["comida", "precio", "servicio", "ruido", "limpieza"]
VOCAB = 400                      # 0 = relleno
LARGO = 30
PALABRAS = {k: rng.choice(np.arange(1, VOCAB), 25, replace=False) for k in range(len(TEMAS))}


def resena():
    etiquetas = (rng.random(len(TEMAS)) < 0.35).astype(np.float32)
    n = rng.integers(16, LARGO + 1)
    palabras = rng.integers(1, VOCAB, n)
    for k in np.flatnonzero(etiquetas):
        sitio = rng.choice(n, 7, replace=False)
        palabras[sitio] = rng.choice(PALABRAS[k], 7)
    fila = np.zeros(LARGO, dtype=np.int64)
    fila[:n] = palabras
    return fila, etiquetas


textos, temas = map(np.stack, zip(*[resena() for _ in range(4000)]))
X_ent, X_pru, Y_ent, Y_pru = train_test_split(textos, temas, test_size=800, random_state=SEMILLA)
X_ent, X_val, Y_ent, Y_val = train_test_split(X_ent, Y_ent, test_size=400, random_state=SEMILLA)
X_ent, X_val, X_pru = map(torch.from_numpy, (X_ent, X_val, X_pru))
Y_ent, Y_val, Y_pru = map(torch.from_numpy, (Y_ent, Y_val, Y_pru))
print("positivos por tema:", Y_ent.mean(0).numpy().round(2))

# In[3]: modelo


class Lector(nn.Module):
    def __init__(self, dim=32):
        super().__init__()
        self.tabla = nn.Embedding(VOCAB, dim, padding_idx=0)
        self.consulta = nn.Linear(dim, len(TEMAS))
        self.salida = nn.Parameter(torch.randn(len(TEMAS), dim) * 0.1)
        self.sesgo = nn.Parameter(torch.zeros(len(TEMAS)))

    def forward(self, ids):
        e = self.tabla(ids)                                              # (lote, palabra, dim)
        peso = self.consulta(e).masked_fill((ids == 0).unsqueeze(-1), float("-inf"))
        peso = peso.softmax(dim=1)                                       # sobre las palabras
        resumen = torch.einsum("bpk,bpd->bkd", peso, e)
        return (resumen * self.salida).sum(-1) + self.sesgo


# In[4]: entrenamiento con lotes virtuales de 128 = 4 x 32

MICRO, ACUMULA, VUELTAS = 32, 4, 16
modelo = Lector()
perdida = nn.BCEWithLogitsLoss()
optimo = torch.optim.Adam(modelo.parameters(), lr=2e-2)
ritmo = torch.optim.lr_scheduler.ExponentialLR(optimo, 0.88)


def f1(X, Y):
    modelo.eval()
    with torch.no_grad():
        marca = modelo(X) > 0            # logit positivo <=> probabilidad mayor que 1/2
    return f1_score(Y.numpy(), marca.numpy(), average="macro")


for vuelta in range(VUELTAS):
    modelo.train()
    historia = []
    for grupo in torch.randperm(len(X_ent)).split(MICRO * ACUMULA):
        optimo.zero_grad()
        for trozo in grupo.split(MICRO):
            coste = perdida(modelo(X_ent[trozo]), Y_ent[trozo]) * (len(trozo) / len(grupo))
            coste.backward()
            historia.append(coste.item() * len(grupo))
        optimo.step()
    ritmo.step()
    print(f"vuelta {vuelta:2d}  pérdida {sum(historia) / len(X_ent):.4f}  F1 val {f1(X_val, Y_val):.3f}")

# In[5]:

print(f"F1 macro en prueba: {f1(X_pru, Y_pru):.3f}")
