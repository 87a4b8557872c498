"""Regresión de conteos con pérdida de Poisson y offset de esfuerzo."""
import csv
import logging
import os
import tempfile

import numpy as np
import torch
from sklearn.metrics import d2_tweedie_score, mean_poisson_deviance
from torch import nn
from torch.utils.data import DataLoader

import datos
from modelo import RedPoisson

logging.basicConfig(level=logging.INFO, format="[%(levelname)s] %(message)s")
registro = logging.getLogger("aves")

SEMILLA, EPOCAS, LOTE, TASA = 2024, 14, 128, 3e-3


def entrenar_una_epoca(red, cargador, criterio, opt):
    red.train()
    suma, n = 0.0, 0
    for x, hab, lm, y in cargador:
        perdida = criterio(red(x, hab, lm), y)
        opt.zero_grad()
        perdida.backward()
        opt.step()
        suma += perdida.item() * len(y)
        n += len(y)
    return suma / n


@torch.no_grad()
def predecir(red, cargador):
    red.eval()
    log_mu, y = [], []
    for x, hab, lm, obs in cargador:
        log_mu.append(red(x, hab, lm))
        y.append(obs)
    return torch.cat(log_mu), torch.cat(y)


def main():
    rng = np.random.default_rng(SEMILLA)
    torch.manual_seed(SEMILLA)
    with tempfile.TemporaryDirectory() as carpeta:
        datos.simular(datos.ruta_csv(carpeta), 9000, rng)
        filas = datos.leer(datos.ruta_csv(carpeta))
        orden = rng.permutation(len(filas))
        ent, val, pru = ([filas[i] for i in t] for t in np.split(orden, [6000, 7500]))
        norm = datos.Normalizador().ajustar(ent)
        d_ent, d_val, d_pru = (datos.ConteosDataset(f, norm) for f in (ent, val, pru))
        c_ent = DataLoader(d_ent, LOTE, shuffle=True)
        c_val, c_pru = DataLoader(d_val, 512), DataLoader(d_pru, 512)
        tasa_media = d_ent.y.sum() / d_ent.log_min.exp().sum()
        registro.info("%d puntos, %.2f aves por minuto, conteo medio %.2f", len(d_ent), tasa_media, d_ent.y.mean())

        red = RedPoisson(len(datos.CONTINUAS), len(datos.HABITATS), tasa_media)
        criterio = nn.PoissonNLLLoss(log_input=True, full=False)     # sin log(y!): puede ser negativa
        opt = torch.optim.Adam(red.parameters(), lr=TASA)
        plan = torch.optim.lr_scheduler.CosineAnnealingLR(opt, EPOCAS, eta_min=TASA / 20)

        with open(os.path.join(carpeta, "historia.csv"), "w", newline="") as f:
            w = csv.DictWriter(f, ["epoca", "entrenamiento", "validacion", "d2"])
            w.writeheader()
            for epoca in range(1, EPOCAS + 1):
                tr = entrenar_una_epoca(red, c_ent, criterio, opt)
                plan.step()
                log_mu, y = predecir(red, c_val)
                fila = dict(epoca=epoca, entrenamiento=tr, validacion=criterio(log_mu, y).item(),
                            d2=d2_tweedie_score(y.numpy(), log_mu.exp().numpy(), power=1))
                w.writerow(fila)
                registro.info("época %2d  ent %.4f  val %.4f  D2 %.4f", *fila.values())

        log_mu, y = predecir(red, c_pru)
        mu = log_mu.exp().numpy()
        registro.info("PRUEBA  desvianza %.4f  D2 %.4f  media observada %.3f  media predicha %.3f",
                      mean_poisson_deviance(y.numpy(), mu), d2_tweedie_score(y.numpy(), mu, power=1), y.mean(), mu.mean())


if __name__ == "__main__":
    main()
