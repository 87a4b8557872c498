import copy
import random

import torch
from torch import nn
from torch.utils.data import DataLoader

from datos import ENTRADA, REL, SALIDA, dias_repartidos, juntar, pares
from red import Traductor

SEMILLA, EPOCAS, LOTE, TASA = 17, 3, 64, 6e-3
perdida = nn.CrossEntropyLoss(ignore_index=REL)


def examinar(red, cargador):
    """pérdida con maestro y aciertos a solas (la fecha entera tiene que estar bien)"""
    red.eval()
    suma = letras = bien = total = 0
    with torch.no_grad():
        for x, largo, y in cargador:
            n = int((y != REL).sum())
            suma += perdida(red(x, largo, y).transpose(1, 2), y).item() * n
            letras += n
            for ids, meta in zip(red.escribir(x, largo).tolist(), y.tolist()):
                bien += SALIDA.a_texto(ids) == SALIDA.a_texto(meta)
                total += 1
    return suma / letras, bien / total


def entrenar():
    random.seed(SEMILLA)
    torch.manual_seed(SEMILLA)
    d_ent, d_val, d_pru = dias_repartidos(SEMILLA)
    ent, val, pru = pares(d_ent, 1), pares(d_val, 2), pares(d_pru, 3)
    print(f"{len(ent)} / {len(val)} / {len(pru)} fechas;  p. ej. {ent[0][0]!r} -> {ent[0][1]}")
    c_ent = DataLoader(ent, LOTE, shuffle=True, collate_fn=juntar)
    c_val, c_pru = (DataLoader(p, 512, collate_fn=juntar) for p in (val, pru))

    red = Traductor(len(ENTRADA), len(SALIDA))
    opt = torch.optim.Adam(red.parameters(), lr=TASA)
    plan = torch.optim.lr_scheduler.OneCycleLR(opt, TASA, epochs=EPOCAS, steps_per_epoch=len(c_ent), pct_start=0.15)
    mejor, mejor_val = None, float("inf")
    for epoca in range(1, EPOCAS + 1):
        red.train()
        suma = letras = 0
        for x, largo, y in c_ent:
            opt.zero_grad()
            l = perdida(red(x, largo, y).transpose(1, 2), y)       # (lote, clases, letras)
            l.backward()
            nn.utils.clip_grad_norm_(red.parameters(), 5.0)
            opt.step()
            plan.step()
            n = int((y != REL).sum())
            suma, letras = suma + l.item() * n, letras + n
        lv, av = examinar(red, c_val)
        print(f"época {epoca}: pérdida {suma / letras:.4f}   validación {lv:.4f}, fechas enteras {av:.3f}")
        if lv < mejor_val:
            mejor_val, mejor = lv, copy.deepcopy(red.state_dict())

    red.load_state_dict(mejor)
    lp, ap = examinar(red, c_pru)
    print(f"\nprueba: pérdida {lp:.4f}, fechas enteras escritas a solas {ap:.4f}")
    x, largo, y = juntar(pru[:5])
    for (texto, meta), ids in zip(pru[:5], red.escribir(x, largo).tolist()):
        print(f"   {texto:32s} -> {SALIDA.a_texto(ids)}   ({meta})")


if __name__ == "__main__":
    entrenar()
