"""Prévision d'une série temporelle par LSTM à état persistant.

La série est coupée dans l'ordre chronologique (apprentissage, validation, test).
L'apprentissage suit plusieurs flux contigus en parallèle par rétropropagation
tronquée : l'état récurrent passe d'un segment au suivant.
"""
from dataclasses import dataclass
from typing import Iterator, Optional, Tuple

import numpy as np
import torch
from torch import Tensor, nn

Etat = Tuple[Tensor, Tensor]


@dataclass
class Reglages:
    longueur: int = 9000
    flux: int = 12
    segment: int = 40
    cache: int = 32
    taux: float = 8e-3
    epoques: int = 40
    norme_max: float = 5.0
    graine: int = 17


def generer_serie(r: Reglages) -> np.ndarray:
    """Deux oscillations lentes, un terme autorégressif et un peu de bruit."""
    alea = np.random.default_rng(r.graine)
    t = np.arange(r.longueur)
    ar = np.zeros(r.longueur)
    for i in range(2, r.longueur):
        ar[i] = 1.6 * ar[i - 1] - 0.75 * ar[i - 2] + alea.normal(scale=0.12)
    return (20 + 2 * np.sin(2 * np.pi * t / 48) + np.sin(2 * np.pi * t / 77) + ar).astype(np.float32)


def en_flux(serie: Tensor, nombre: int) -> Tuple[Tensor, Tensor]:
    """Découpe la série en `nombre` flux contigus ; la cible est la valeur suivante."""
    utile = (len(serie) - 1) // nombre * nombre
    entrees = serie[:utile].view(nombre, -1, 1)
    cibles = serie[1:utile + 1].view(nombre, -1, 1)
    return entrees, cibles


def segments(entrees: Tensor, cibles: Tensor, pas: int) -> Iterator[Tuple[Tensor, Tensor]]:
    for debut in range(0, entrees.size(1), pas):
        yield entrees[:, debut:debut + pas], cibles[:, debut:debut + pas]


class Previsionniste(nn.Module):
    def __init__(self, cache: int) -> None:
        super().__init__()
        self.lstm = nn.LSTM(1, cache, batch_first=True)
        self.sortie = nn.Linear(cache, 1)

    def forward(self, x: Tensor, etat: Optional[Etat] = None) -> Tuple[Tensor, Etat]:
        h, etat = self.lstm(x, etat)
        return x + self.sortie(h), etat


def une_epoque(modele: Previsionniste, entrees: Tensor, cibles: Tensor, optimiseur, r: Reglages) -> float:
    modele.train()
    etat: Optional[Etat] = None
    somme, compte = 0.0, 0
    for x, y in segments(entrees, cibles, r.segment):
        if etat is not None:
            etat = tuple(e.detach() for e in etat)
        prevision, etat = modele(x, etat)
        perte = nn.functional.mse_loss(prevision, y)
        optimiseur.zero_grad()
        perte.backward()
        nn.utils.clip_grad_norm_(modele.parameters(), r.norme_max)
        optimiseur.step()
        somme += perte.item() * y.numel()
        compte += y.numel()
    return somme / compte


@torch.no_grad()
def evaluer(modele: Previsionniste, serie: Tensor, prechauffe: int = 100) -> Tuple[float, float]:
    """EQM du modèle et de la prévision naïve « demain comme aujourd'hui »."""
    modele.eval()
    entrees, cibles = en_flux(serie, 1)
    prevision, _ = modele(entrees)
    vrai = cibles[:, prechauffe:]
    eqm = nn.functional.mse_loss(prevision[:, prechauffe:], vrai).item()
    naive = nn.functional.mse_loss(entrees[:, prechauffe:], vrai).item()
    return eqm, naive


def main() -> None:
    r = Reglages()
    torch.manual_seed(r.graine)
    serie = generer_serie(r)
    fin_app, fin_val = int(0.7 * r.longueur), int(0.85 * r.longueur)
    moyenne, ecart = serie[:fin_app].mean(), serie[:fin_app].std()
    normee = torch.from_numpy((serie - moyenne) / ecart)
    app, val, test = normee[:fin_app], normee[fin_app:fin_val], normee[fin_val:]
    entrees, cibles = en_flux(app, r.flux)

    modele = Previsionniste(r.cache)
    optimiseur = torch.optim.Adam(modele.parameters(), lr=r.taux)
    plan = torch.optim.lr_scheduler.CosineAnnealingLR(optimiseur, T_max=r.epoques, eta_min=2e-4)
    for epoque in range(1, r.epoques + 1):
        perte = une_epoque(modele, entrees, cibles, optimiseur, r)
        plan.step()
        eqm, naive = evaluer(modele, val)
        print(f"époque {epoque:2d}  perte {perte:.5f}  validation {eqm:.5f}  (naïve {naive:.5f})")

    eqm, naive = evaluer(modele, test)
    print(f"test : EQM {eqm:.5f}, naïve {naive:.5f}, gain {100 * (1 - eqm / naive):.1f} %")


if __name__ == "__main__":
    main()
