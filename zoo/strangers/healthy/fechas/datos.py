"""Fechas escritas por personas -> ISO 8601, y su paso a números."""
import datetime as dt
import random

import torch

MESES = "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre".split()
DIAS = "lunes martes miércoles jueves viernes sábado domingo".split()
REL, INI, FIN = 0, 1, 2           # relleno, inicio, fin


def escribir(f, azar):
    mes, d, a = MESES[f.month - 1], f.day, f.year
    forma = azar.randrange(5)
    if forma == 0:
        return f"{d} de {mes} de {a}"
    if forma == 1:
        return f"{DIAS[f.weekday()]} {d} de {mes} {a}"
    if forma == 2:
        return f"{mes} {d}, {a}"
    if forma == 3:
        return f"{d}/{f.month}/{a}"
    return f"{d:02d}.{mes[:3]}.{a}"


class Letras:
    def __init__(self, texto):
        self.lista = ["<rel>", "<ini>", "<fin>"] + sorted(set(texto))
        self.num = {c: i for i, c in enumerate(self.lista)}

    def __len__(self):
        return len(self.lista)

    def a_numeros(self, s):
        return [self.num[c] for c in s] + [FIN]

    def a_texto(self, ids):
        out = []
        for i in ids:
            if i == FIN:
                break
            out.append(self.lista[i])
        return "".join(out)


ENTRADA = Letras("".join(MESES) + "".join(DIAS) + "0123456789 ,./de")
SALIDA = Letras("0123456789-")


def dias_repartidos(semilla):
    """Cada día del calendario cae en una sola parte, escrito como esté escrito."""
    inicio = dt.date(2002, 1, 1)
    dias = [inicio + dt.timedelta(days=k) for k in range((dt.date(2024, 1, 1) - inicio).days)]
    random.Random(semilla).shuffle(dias)
    a, b = int(0.8 * len(dias)), int(0.9 * len(dias))
    return dias[:a], dias[a:b], dias[b:]


def pares(dias, semilla):
    azar = random.Random(semilla)
    return [(escribir(f, azar), f.isoformat()) for f in dias]


def juntar(lote):
    """relleno a la derecha; devuelve (entrada, largo, salida)"""
    xs = [torch.tensor(ENTRADA.a_numeros(e)) for e, _ in lote]
    ys = [torch.tensor(SALIDA.a_numeros(s)) for _, s in lote]
    largo = torch.tensor([len(x) for x in xs])
    pad = torch.nn.utils.rnn.pad_sequence
    return pad(xs, batch_first=True, padding_value=REL), largo, pad(ys, batch_first=True, padding_value=REL)
