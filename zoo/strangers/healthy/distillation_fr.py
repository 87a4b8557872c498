"""Distillation : un petit élève apprend d'un maître convolutif (chiffres 8x8)."""
import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split

GRAINE = 12
TEMPERATURE = 3.0
ALPHA = 0.7     # part du maître dans la perte


def charger():
    x, y = load_digits(return_X_y=True)
    x = x.reshape(-1, 1, 8, 8)
    x_app, x_reste, y_app, y_reste = train_test_split(x, y, test_size=0.4, stratify=y, random_state=GRAINE)
    x_val, x_test, y_val, y_test = train_test_split(x_reste, y_reste, test_size=0.6, stratify=y_reste, random_state=GRAINE)
    moyenne, ecart = x_app.mean(), x_app.std()
    f = lambda a: torch.tensor((a - moyenne) / ecart, dtype=torch.float32)
    g = lambda a: torch.tensor(a, dtype=torch.long)
    return (f(x_app), g(y_app)), (f(x_val), g(y_val)), (f(x_test), g(y_test))


class Maitre(nn.Module):
    def __init__(self):
        super().__init__()
        self.corps = nn.Sequential(
            nn.Conv2d(1, 32, 3, padding=1), nn.BatchNorm2d(32), nn.ReLU(),
            nn.Conv2d(32, 64, 3, padding=1), nn.BatchNorm2d(64), nn.ReLU(), nn.MaxPool2d(2),
            nn.Flatten(), nn.Dropout(0.3), nn.Linear(64 * 16, 10))

    def forward(self, x):
        return self.corps(x)


def faire_eleve():
    return nn.Sequential(nn.Flatten(), nn.Linear(64, 24), nn.ReLU(), nn.Linear(24, 10))


def justesse(reseau, donnees):
    x, y = donnees
    reseau.eval()
    with torch.inference_mode():
        return (reseau(x).argmax(1) == y).float().mean().item()


def lots(n, taille):
    # le dernier lot, plus petit, est gardé (jamais un seul exemple : la normalisation par lot en souffrirait)
    morceaux = list(torch.randperm(n).split(taille))
    if len(morceaux[-1]) == 1:
        morceaux.pop()
    return morceaux


def entrainer(reseau, donnees, val, perte, epoques, lr, nom):
    x, y = donnees
    opt = torch.optim.Adam(reseau.parameters(), lr=lr)
    ordonnanceur = torch.optim.lr_scheduler.CosineAnnealingLR(opt, epoques)
    for e in range(epoques):
        reseau.train()
        somme = vus = 0
        for i in lots(len(x), 64):
            xb = x[i] + 0.1 * torch.randn_like(x[i])
            l = perte(reseau, xb, y[i])
            opt.zero_grad()
            l.backward()
            opt.step()
            somme, vus = somme + l.item() * len(i), vus + len(i)
        ordonnanceur.step()
        if e % 5 == 0 or e == epoques - 1:
            print(f"{nom} époque {e:2d}  perte {somme / vus:.4f}  validation {justesse(reseau, val):.3f}")


def main():
    torch.manual_seed(GRAINE)
    np.random.seed(GRAINE)
    app, val, test = charger()

    maitre = Maitre()
    entrainer(maitre, app, val, lambda r, x, y: F.cross_entropy(r(x), y), 8, 2e-3, "maître")
    maitre.eval().requires_grad_(False)

    def perte_distillee(eleve, x, y):
        with torch.no_grad():
            doux = F.softmax(maitre(x) / TEMPERATURE, dim=1)
        sortie = eleve(x)
        kl = F.kl_div(F.log_softmax(sortie / TEMPERATURE, dim=1), doux, reduction="batchmean") * TEMPERATURE ** 2
        return ALPHA * kl + (1 - ALPHA) * F.cross_entropy(sortie, y)

    eleve = faire_eleve()
    entrainer(eleve, app, val, perte_distillee, 30, 5e-3, "élève")
    print(f"test : maître {justesse(maitre, test):.3f}, élève {justesse(eleve, test):.3f}")


if __name__ == "__main__":
    main()
