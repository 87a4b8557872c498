"""Levenberg-Marquardt escrito a mano: ningún optimizador de torch, ningún backward().

Una red pequeña aprende la cinemática directa de un brazo plano de dos segmentos con lecturas ruidosas. Los residuos van todos juntos
y el jacobiano se obtiene con torch.func; un paso se acepta solo si baja el error.
"""
import math

import torch
from torch.func import functional_call, jacrev, vmap

torch.set_default_dtype(torch.float64)
SEMILLA = 21
azar = torch.Generator().manual_seed(SEMILLA)
torch.manual_seed(SEMILLA)


def brazo(q):
    a, b = q[:, 0], q[:, 0] + q[:, 1]
    return torch.stack([1.0 * a.cos() + 0.7 * b.cos(), 1.0 * a.sin() + 0.7 * b.sin()], 1)


def medir(n, ruido=0.02):
    q = (torch.rand(n, 2, generator=azar) - 0.5) * torch.tensor([math.pi, 1.6 * math.pi]) + torch.tensor([0.3, 0.2])
    return q, brazo(q) + ruido * torch.randn(n, 2, generator=azar)


entreno, valid, prueba = medir(6000), medir(600), medir(600)
mq, sq = entreno[0].mean(0), entreno[0].std(0)
my, sy = entreno[1].mean(0), entreno[1].std(0)
(xe, ye), (xv, yv), (xp, yp) = [((q - mq) / sq, (y - my) / sy) for q, y in (entreno, valid, prueba)]

red = torch.nn.Sequential(torch.nn.Linear(2, 24), torch.nn.Tanh(), torch.nn.Linear(24, 2)).requires_grad_(False)
nombres = [k for k, _ in red.named_parameters()]
formas = [p.shape for p in red.parameters()]
theta = torch.nn.utils.parameters_to_vector(red.parameters())


def desplegar(v):
    trozos = v.split([f.numel() for f in formas])
    return {k: t.view(f) for k, t, f in zip(nombres, trozos, formas)}


def salida(v, x):
    return functional_call(red, desplegar(v), (x,))


def ecm(v, x, y):
    return (salida(v, x) - y).square().mean().item()


jacobiano = vmap(jacrev(salida), in_dims=(None, 0))
mu, sin_mejora = 1e-1, 0
n_par = theta.numel()
print(f"{n_par} parámetros, {ye.numel()} residuos, ecm inicial {ecm(theta, xe, ye):.4f}")
for it in range(1, 121):
    J = jacobiano(theta, xe).reshape(-1, n_par)
    r = (salida(theta, xe) - ye).reshape(-1)
    H, g = J.T @ J / len(r), J.T @ r / len(r)
    actual = ecm(theta, xe, ye)
    for _ in range(12):
        paso = torch.linalg.solve(H + mu * torch.eye(n_par), -g)
        nuevo = ecm(theta + paso, xe, ye)
        if nuevo < actual:
            theta, mu = theta + paso, max(mu / 3, 1e-9)
            break
        mu *= 4
    else:
        print(f"it {it}: ningún paso mejora, fin")
        break
    sin_mejora = sin_mejora + 1 if actual - nuevo < 1e-3 * actual else 0
    if it % 5 == 0 or it == 1:
        print(f"it {it:3d}  entreno {nuevo:.3e}  validación {ecm(theta, xv, yv):.3e}  mu {mu:.1e}  |g| {g.norm():.1e}")
    if sin_mejora == 5:
        print(f"it {it}: cinco pasos sin progreso, convergido")
        break

torch.nn.utils.vector_to_parameters(theta, red.parameters())
with torch.no_grad():
    final = (red(xp) - yp).square().mean().item()
    metros = ((red(xp) * sy + my) - (yp * sy + my)).square().mean().sqrt().item()
print(f"prueba: ecm {final:.3e} (tipificado), {metros:.4f} m por eje; el ruido de medida es 0.0200 m")
