"""Precio de viviendas (datos simulados) con validación cruzada de 5 pliegues.

En cada pliegue se crean un modelo, un optimizador y un escalador nuevos: nada pasa de un pliegue a otro.
El conjunto de prueba se aparta al principio y solo se usa al final.
"""
import numpy as np
import pandas as pd
import torch
import torch.nn as nn
from sklearn.compose import ColumnTransformer
from sklearn.metrics import mean_absolute_error, r2_score
from sklearn.model_selection import KFold, train_test_split
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from torch.utils.data import DataLoader, TensorDataset

SEMILLA = 11
NUMERICAS = ["superficie", "habitaciones", "antiguedad", "distancia_centro", "planta"]
CATEGORICAS = ["barrio", "calefaccion"]


def simular(n, semilla):
    r = np.random.default_rng(semilla)
    df = pd.DataFrame({
        "superficie": r.gamma(9, 10, n) + 25,
        "habitaciones": r.integers(1, 6, n),
        "antiguedad": r.uniform(0, 90, n),
        "distancia_centro": r.exponential(4, n),
        "planta": r.integers(0, 10, n),
        "barrio": r.choice(["norte", "sur", "este", "oeste", "puerto"], n),
        "calefaccion": r.choice(["gas", "electrica", "bomba"], n),
    })
    factor = df.barrio.map({"norte": 1.25, "sur": 0.85, "este": 1.0, "oeste": 1.05, "puerto": 1.4})
    eur_m2 = 2400 * factor * np.exp(-0.06 * df.distancia_centro) * (1 - 0.3 * np.sin(df.antiguedad / 30))
    precio = eur_m2 * df.superficie + 6000 * df.habitaciones + 1500 * df.planta
    precio += df.calefaccion.map({"gas": 0, "electrica": -4000, "bomba": 7000})
    df["precio"] = precio * np.exp(r.normal(0, 0.07, n))
    return df


def crear_modelo(entradas):
    return nn.Sequential(nn.Linear(entradas, 64), nn.SiLU(), nn.Linear(64, 32), nn.SiLU(), nn.Linear(32, 1))


class Pliegue:
    """Todo lo que se ajusta con los datos de entrenamiento de un pliegue."""

    def __init__(self, df, epocas=28, lote=100, lr=4e-3):
        self.columnas = ColumnTransformer([
            ("num", StandardScaler(), NUMERICAS),
            ("cat", OneHotEncoder(handle_unknown="ignore", sparse_output=False), CATEGORICAS)])
        x = torch.tensor(self.columnas.fit_transform(df), dtype=torch.float32)
        # el objetivo es el logaritmo del precio, tipificado
        log_precio = np.log(df.precio.to_numpy())
        self.media, self.desv = log_precio.mean(), log_precio.std()
        t = torch.tensor((log_precio - self.media) / self.desv, dtype=torch.float32).unsqueeze(1)
        self.cargador = DataLoader(TensorDataset(x, t), batch_size=lote, shuffle=True, drop_last=True)
        self.epocas = epocas
        self.modelo = crear_modelo(x.shape[1])
        self.opt = torch.optim.Adam(self.modelo.parameters(), lr=lr)
        self.plan = torch.optim.lr_scheduler.CosineAnnealingLR(self.opt, T_max=epocas, eta_min=lr / 100)

    def entrenar(self, etiqueta):
        criterio = nn.MSELoss()
        for epoca in range(self.epocas):
            self.modelo.train()
            suma, n = 0.0, 0
            for x, t in self.cargador:
                self.opt.zero_grad()
                perdida = criterio(self.modelo(x), t)
                perdida.backward()
                self.opt.step()
                suma += perdida.item() * len(x)
                n += len(x)
            self.plan.step()
            if epoca % 10 == 0 or epoca == self.epocas - 1:
                print(f"   {etiqueta} época {epoca:2d}  ecm {suma / n:.4f}")
        return self

    @torch.no_grad()
    def predecir(self, df):
        self.modelo.eval()
        x = torch.tensor(self.columnas.transform(df), dtype=torch.float32)
        z = self.modelo(x).squeeze(1).numpy()
        return np.exp(z * self.desv + self.media)


def main():
    torch.manual_seed(SEMILLA)
    datos = simular(4000, SEMILLA)
    desarrollo, prueba = train_test_split(datos, test_size=0.2, random_state=SEMILLA)
    print(desarrollo.describe().round(1).to_string())

    notas = []
    for k, (i_ent, i_val) in enumerate(KFold(5, shuffle=True, random_state=SEMILLA).split(desarrollo)):
        ent, val = desarrollo.iloc[i_ent], desarrollo.iloc[i_val]
        pliegue = Pliegue(ent).entrenar(f"[{k}]")
        p_ent, p_val = pliegue.predecir(ent), pliegue.predecir(val)
        notas.append((r2_score(ent.precio, p_ent), r2_score(val.precio, p_val),
                      mean_absolute_error(val.precio, p_val)))
        print("pliegue %d: R2 ent %.4f  R2 val %.4f  EAM %.0f EUR" % (k, *notas[-1]))
    m = np.array(notas)
    print("CV: R2 %.4f ± %.4f, EAM %.0f ± %.0f EUR" % (m[:, 1].mean(), m[:, 1].std(), m[:, 2].mean(), m[:, 2].std()))

    final = Pliegue(desarrollo).entrenar("[final]")
    p = final.predecir(prueba)
    print("PRUEBA: R2 %.4f  EAM %.0f EUR" % (r2_score(prueba.precio, p), mean_absolute_error(prueba.precio, p)))


if __name__ == "__main__":
    main()
