"""Conjunto profundo (deep ensemble) entrenado de una sola vez con torch.func.

Cada miembro predice media y varianza; la pérdida es la log-verosimilitud gaussiana
negativa, que puede bajar de cero. Sin clase Optimizer: Adam está escrito a mano.
"""
import math

import torch
from torch import nn
from torch.func import functional_call, grad_and_value, stack_module_state, vmap

SEMILLA = 31
MIEMBROS = 5
ANCHO = 48
PASOS = 700
LOTE = 100
TASA = 4e-3


def fabricar_datos(n, gen):
    x = torch.rand(n, 2, generator=gen) * 4 - 2
    señal = torch.sin(2 * x[:, 0]) + 0.5 * x[:, 1] ** 2
    sigma = 0.03 + 0.05 * torch.sigmoid(3 * x[:, 0])
    y = señal + sigma * torch.randn(n, generator=gen)
    return x, y


def red():
    return nn.Sequential(
        nn.Linear(2, ANCHO), nn.Tanh(),
        nn.Linear(ANCHO, ANCHO), nn.Tanh(),
        nn.Linear(ANCHO, 2),
    )


def verosimilitud_negativa(salida, y):
    media, log_var = salida[..., 0], salida[..., 1].clamp(-9.0, 4.0)
    return 0.5 * (math.log(2 * math.pi) + log_var + (y - media) ** 2 / log_var.exp()).mean()


def paso_adam(pesos, grads, m, v, t, tasa, b1=0.9, b2=0.999, eps=1e-8):
    """Devuelve pesos y momentos nuevos; nada se modifica en su sitio."""
    nuevos = {}
    for k, g in grads.items():
        m[k] = b1 * m[k] + (1 - b1) * g
        v[k] = b2 * v[k] + (1 - b2) * g * g
        m_hat, v_hat = m[k] / (1 - b1 ** t), v[k] / (1 - b2 ** t)
        nuevos[k] = pesos[k] - tasa * m_hat / (v_hat.sqrt() + eps)
    return nuevos, m, v


def principal():
    torch.manual_seed(SEMILLA)
    gen = torch.Generator().manual_seed(SEMILLA)
    x, y = fabricar_datos(2000, gen)
    x_ent, y_ent, x_pru, y_pru = x[:1500], y[:1500], x[1500:], y[1500:]
    mx, sx, my, sy = x_ent.mean(0), x_ent.std(0), y_ent.mean(), y_ent.std()
    x_ent, x_pru = (x_ent - mx) / sx, (x_pru - mx) / sx
    y_ent, y_pru = (y_ent - my) / sy, (y_pru - my) / sy

    miembros = [red() for _ in range(MIEMBROS)]
    pesos, buferes = stack_module_state(miembros)
    pesos = {k: p.detach() for k, p in pesos.items()}
    molde = red().to("meta")

    def perdida(p, b, xb, yb):
        return verosimilitud_negativa(functional_call(molde, (p, b), (xb,)), yb)

    derivar = vmap(grad_and_value(perdida), in_dims=(0, 0, 0, 0))
    predecir = vmap(lambda p, b, xb: functional_call(molde, (p, b), (xb,)), in_dims=(0, 0, None))

    m = {k: torch.zeros_like(p) for k, p in pesos.items()}
    v = {k: torch.zeros_like(p) for k, p in pesos.items()}
    for t in range(1, PASOS + 1):
        idx = torch.randint(len(x_ent), (MIEMBROS, LOTE), generator=gen)
        grads, valores = derivar(pesos, buferes, x_ent[idx], y_ent[idx])
        tasa = TASA * 0.5 * (1 + math.cos(math.pi * t / PASOS))
        pesos, m, v = paso_adam(pesos, grads, m, v, t, tasa)
        if t % 100 == 0:
            print(f"paso {t:4d}  pérdida por miembro: " + "  ".join(f"{z:+.3f}" for z in valores.tolist()))

    salida = predecir(pesos, buferes, x_pru)
    medias, vars_ = salida[..., 0], salida[..., 1].clamp(-9.0, 4.0).exp()
    media = medias.mean(0)
    var = vars_.mean(0) + medias.var(0, unbiased=False)
    rmse = (media - y_pru).pow(2).mean().sqrt().item()
    cobertura = ((media - y_pru).abs() < 1.645 * var.sqrt()).float().mean().item()
    print(f"prueba: RMSE {rmse:.4f} (desviación de y: 1), cobertura del intervalo del 90%: {cobertura:.3f}")


if __name__ == "__main__":
    principal()
