"""Conteos de aves por punto de muestreo: se simulan, se guardan en CSV y se leen con un Dataset."""
import csv
import os

import numpy as np
import torch
from torch.utils.data import Dataset

CONTINUAS = ["altitud_m", "cobertura_arborea", "distancia_agua_m", "temperatura_c"]
HABITATS = ["bosque", "matorral", "pastizal", "humedal", "cultivo"]
EFECTO = {"bosque": 0.5, "matorral": 0.1, "pastizal": -0.3, "humedal": 0.8, "cultivo": -0.5}


def simular(ruta, n, rng):
    """Cada fila es un punto independiente, con su propio esfuerzo (minutos de escucha)."""
    with open(ruta, "w", newline="") as f:
        w = csv.writer(f)
        w.writerow(["sitio"] + CONTINUAS + ["habitat", "minutos", "conteo"])
        for i in range(n):
            alt = rng.uniform(100, 2600)
            cob = rng.beta(2, 2)
            agua = rng.gamma(2.0, 300.0)
            temp = 28 - 0.0055 * alt + rng.normal(0, 2.5)
            hab = HABITATS[rng.integers(len(HABITATS))]
            minutos = int(rng.choice([5, 10, 15, 20, 30]))
            log_tasa = (-1.2 + EFECTO[hab] - ((alt - 1100) / 900) ** 2 * 0.6 + 1.1 * np.sin(3 * cob)
                        - 0.35 * np.log1p(agua / 200) + 0.03 * (temp - 20))
            w.writerow([i, f"{alt:.1f}", f"{cob:.4f}", f"{agua:.1f}", f"{temp:.2f}", hab, minutos,
                        rng.poisson(np.exp(log_tasa) * minutos)])


def leer(ruta):
    with open(ruta, newline="") as f:
        return list(csv.DictReader(f))


class Normalizador:
    def ajustar(self, filas):
        x = self._crudo(filas)
        self.media, self.desv = x.mean(0), x.std(0)
        return self

    @staticmethod
    def _crudo(filas):
        x = np.array([[float(f[c]) for c in CONTINUAS] for f in filas])
        x[:, 2] = np.log1p(x[:, 2])          # la distancia tiene cola larga
        return x

    def __call__(self, filas):
        return (self._crudo(filas) - self.media) / self.desv


class ConteosDataset(Dataset):
    def __init__(self, filas, norm):
        self.x = torch.tensor(norm(filas), dtype=torch.float32)
        self.habitat = torch.tensor([HABITATS.index(f["habitat"]) for f in filas])
        self.log_min = torch.log(torch.tensor([float(f["minutos"]) for f in filas]))
        self.y = torch.tensor([float(f["conteo"]) for f in filas])

    def __len__(self):
        return len(self.y)

    def __getitem__(self, i):
        return self.x[i], self.habitat[i], self.log_min[i], self.y[i]


def ruta_csv(carpeta):
    return os.path.join(carpeta, "conteos.csv")
