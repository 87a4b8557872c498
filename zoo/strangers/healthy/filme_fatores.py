"""Recomendador de filmes por fatoração, sem nn.Module e sem torch.optim.

Os parâmetros são uma lista de folhas; o otimizador é um punhado de linhas (Adagrad por linha da
tabela, como nos sistemas grandes); só as linhas tocadas pelo lote mudam.
As notas são inventadas: gosto latente do usuário x traços do filme + vieses + ruído (desvio 0.5).
"""
import math
import random
from typing import NamedTuple

import numpy as np
import torch

SEMENTE = 2024
random.seed(SEMENTE)
torch.manual_seed(SEMENTE)
sorteio = np.random.default_rng(SEMENTE)

N_USU, N_FIL, POSTO, RUIDO = 400, 250, 3, 0.5


class Notas(NamedTuple):
    u: torch.Tensor
    f: torch.Tensor
    nota: torch.Tensor

    def __len__(self):
        return len(self.nota)

    def fatia(self, idx):
        return Notas(self.u[idx], self.f[idx], self.nota[idx])


def inventar():
    gosto, traco = sorteio.normal(size=(N_USU, POSTO)), sorteio.normal(size=(N_FIL, POSTO))
    bu, bf = sorteio.normal(0, 0.4, N_USU), sorteio.normal(0, 0.4, N_FIL)
    # cada par (usuário, filme) é sorteado no máximo uma vez: nenhum par em duas partições
    pares = sorteio.choice(N_USU * N_FIL, size=48_000, replace=False)
    u, f = pares // N_FIL, pares % N_FIL
    nota = 3.2 + bu[u] + bf[f] + 0.5 * (gosto[u] * traco[f]).sum(1) + sorteio.normal(0, RUIDO, len(u))
    t = Notas(torch.as_tensor(u), torch.as_tensor(f), torch.as_tensor(nota, dtype=torch.float32))
    return t.fatia(slice(0, 40_000)), t.fatia(slice(40_000, 44_000)), t.fatia(slice(44_000, 48_000))


def folha(*forma, desvio):
    return (torch.randn(*forma) * desvio).requires_grad_()


def prever(P, u, f):
    P_u, Q_f, b_u, b_f = P["usuario"][u], P["filme"][f], P["vies_u"][u], P["vies_f"][f]
    return (P_u * Q_f).sum(-1) + b_u.squeeze(-1) + b_f.squeeze(-1)


class AdagradPorLinha:
    """Um acumulador por linha, não por peso. Linhas sem gradiente ficam como estão."""

    def __init__(self, params, taxa):
        self.params, self.taxa = params, taxa
        self.soma = {n: torch.zeros(len(p), 1) for n, p in params.items()}

    @torch.no_grad()
    def aplicar(self, fator=1.0):
        for nome, p in self.params.items():
            tocadas = p.grad.abs().sum(1).nonzero().flatten()
            g = p.grad[tocadas]
            self.soma[nome][tocadas] += g.square().mean(1, keepdim=True)
            p[tocadas] -= fator * self.taxa * g / (self.soma[nome][tocadas].sqrt() + 1e-8)
            p.grad = None


@torch.no_grad()
def eqm(P, dados, media):
    return (prever(P, dados.u, dados.f) + media - dados.nota).square().mean().item()


def principal(epocas=28, lote=500, taxa=0.12, puxao=0.02):
    treino, valida, teste = inventar()
    media = treino.nota.mean()               # só do treino; sai do alvo antes de tudo
    P = {
        "usuario": folha(N_USU, POSTO + 1, desvio=0.3),
        "filme": folha(N_FIL, POSTO + 1, desvio=0.3),
        "vies_u": torch.zeros(N_USU, 1, requires_grad=True),      # viés em zero não é simetria: cada um tem seus dados
        "vies_f": torch.zeros(N_FIL, 1, requires_grad=True),
    }
    otim = AdagradPorLinha(P, taxa)
    print(f"eqm da média: {(valida.nota - media).square().mean():.4f}   piso do ruído: {RUIDO ** 2:.4f}")

    for ep in range(1, epocas + 1):
        ordem = torch.randperm(len(treino))
        acumulado = 0.0
        fator = 0.5 * (1 + math.cos(math.pi * (ep - 1) / epocas))
        for corte in ordem.split(lote):
            b = treino.fatia(corte)
            erro = (prever(P, b.u, b.f) + media - b.nota).square().mean()
            freio = puxao * (P["usuario"][b.u].square().sum(1) + P["filme"][b.f].square().sum(1)).mean()
            (erro + freio).backward()
            otim.aplicar(fator)              # aplica e zera
            acumulado += erro.item() * len(b)
        if ep % 4 == 0 or ep == 1:
            print(f"época {ep:2d}  treino {acumulado / len(treino):.4f}  validação {eqm(P, valida, media):.4f}")

    final = eqm(P, teste, media)
    r2 = 1 - final / (teste.nota - media).square().mean().item()
    print(f"teste: eqm {final:.4f}  reqm {math.sqrt(final):.4f}  R2 {r2:.3f}")


if __name__ == "__main__":
    principal()
