"""DeepSurv : vraisemblance partielle de Cox. Dans chaque lot, un patient est comparé à ceux encore à risque,
la somme court donc sur la dimension du lot, c'est voulu."""
import numpy as np
import torch
from torch import nn

GRAINE = 17
torch.manual_seed(GRAINE)
alea = np.random.default_rng(GRAINE)

# ---- cohorte simulée -------------------------------------------------------
N = 9000
age = alea.normal(61, 9, N)
tension = alea.normal(135, 18, N)
marqueur = alea.lognormal(1.0, 0.6, N)
imc = alea.normal(26, 4, N)
tabac = alea.integers(0, 2, N)
bruit = alea.normal(0, 1, (N, 2))
risque_vrai = (0.06 * (age - 61) + 0.8 * np.sin(1.2 * np.log(marqueur)) + 0.9 * tabac * (tension > 135)
               + 0.5 * ((imc - 26) / 4) ** 2)
duree = alea.exponential(np.exp(-risque_vrai)) * 10
censure = alea.exponential(14, N)
temps = np.minimum(duree, censure).astype(np.float32)
evenement = (duree <= censure).astype(np.float32)
X = np.column_stack([age, tension, np.log(marqueur), imc, tabac, bruit]).astype(np.float32)
print(f"{N} patients, {evenement.mean():.0%} d'événements observés")

perm = alea.permutation(N)
app, val, tst = np.split(perm, [6500, 7750])
moy, ect = X[app].mean(0), X[app].std(0)
X = (X - moy) / ect


def lot(i):
    return tuple(torch.from_numpy(a[i]) for a in (X, temps, evenement))


# ---- modèle et perte -------------------------------------------------------
reseau = nn.Sequential(nn.Linear(X.shape[1], 48), nn.SiLU(), nn.Dropout(0.1),
                       nn.Linear(48, 48), nn.SiLU(), nn.Dropout(0.1),
                       nn.Linear(48, 1, bias=False))     # une constante s'élimine dans la vraisemblance partielle


def cox(eta, t, e):
    ordre = torch.argsort(t, descending=True)
    eta, e = eta[ordre], e[ordre]
    a_risque = torch.logcumsumexp(eta, dim=0)
    return ((a_risque - eta) * e).sum() / e.sum().clamp(min=1)


def concordance(eta, t, e):
    comparable = (t[:, None] < t[None, :]) & (e[:, None] > 0)
    plus = (eta[:, None] > eta[None, :]).float() + 0.5 * (eta[:, None] == eta[None, :]).float()
    return (plus[comparable].mean()).item()


def evaluer(indices):
    reseau.eval()
    x, t, e = lot(indices)
    with torch.no_grad():
        eta = reseau(x).squeeze(1)
        # par tranches de la même taille que les lots, pour que les pertes se comparent
        morceaux = [cox(eta[s], t[s], e[s]).item() for s in torch.arange(len(t)).split(250)]
        return sum(morceaux) / len(morceaux), concordance(eta, t, e)


optim = torch.optim.AdamW(reseau.parameters(), lr=2e-3, weight_decay=1e-2)
EPOQUES = 36
plan = torch.optim.lr_scheduler.CosineAnnealingLR(optim, EPOQUES, eta_min=1e-4)
meilleur, poids = np.inf, None
for epoque in range(EPOQUES):
    reseau.train()
    cumul = []
    for i in np.array_split(alea.permutation(app), len(app) // 250):
        x, t, e = lot(i)
        perte = cox(reseau(x).squeeze(1), t, e)
        optim.zero_grad()
        perte.backward()
        optim.step()
        cumul.append(perte.item())
    plan.step()
    pv, cv = evaluer(val)
    if pv < meilleur:
        meilleur = pv
        poids = {k: v.clone() for k, v in reseau.state_dict().items()}
    if (epoque + 1) % 4 == 0:
        print(f"époque {epoque + 1:3d}  perte {np.mean(cumul):.4f}  validation {pv:.4f}  C {cv:.4f}")

reseau.load_state_dict(poids)
pt, ct = evaluer(tst)
plafond = concordance(torch.from_numpy(risque_vrai[tst]), *lot(tst)[1:])
print(f"test : perte {pt:.4f}, indice C {ct:.4f} (avec le vrai risque {plafond:.4f})")
