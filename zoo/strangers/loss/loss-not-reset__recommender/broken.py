# coding: utf-8
# Exporté de recommandation.ipynb

# In[1]:
import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(3)
alea = np.random.default_rng(3)


# In[2]:
# Notes fabriquées : goûts latents de rang 4, biais par lecteur et par livre, un peu de bruit
N_LECTEURS, N_LIVRES, RANG = 220, 160, 4
gouts = alea.normal(0, 0.6, (N_LECTEURS, RANG))
styles = alea.normal(0, 0.6, (N_LIVRES, RANG))
biais_l = alea.normal(0, 0.4, N_LECTEURS)
biais_b = alea.normal(0, 0.4, N_LIVRES)
verite = 3.2 + gouts @ styles.T + biais_l[:, None] + biais_b[None, :]

paires = alea.permutation(N_LECTEURS * N_LIVRES)[:22000]
lecteurs = torch.from_numpy(paires // N_LIVRES)
livres = torch.from_numpy(paires % N_LIVRES)
notes = verite[lecteurs.numpy(), livres.numpy()] + alea.normal(0, 0.3, len(paires))
notes = torch.from_numpy(notes.astype(np.float32))

# les paires sont déjà mélangées et toutes différentes
app = slice(0, 17000)
val = slice(17000, 19500)
tst = slice(19500, 22000)
print("notes :", len(notes), " moyenne (apprentissage) :", round(notes[app].mean().item(), 3))


# In[3]:
class Factorisation(nn.Module):
    def __init__(self, n_lecteurs, n_livres, dim, moyenne):
        super().__init__()
        self.P = nn.Embedding(n_lecteurs, dim)
        self.Q = nn.Embedding(n_livres, dim)
        self.bp = nn.Embedding(n_lecteurs, 1)
        self.bq = nn.Embedding(n_livres, 1)
        self.moyenne = moyenne
        for e in (self.P, self.Q):
            nn.init.normal_(e.weight, std=0.2)
        for e in (self.bp, self.bq):
            nn.init.zeros_(e.weight)

    def forward(self, l, b):
        p, q = self.P(l), self.Q(b)
        biais = (self.bp(l) + self.bq(b)).squeeze(-1)
        return self.moyenne + biais + (p * q).sum(-1), p, q


modele = Factorisation(N_LECTEURS, N_LIVRES, RANG, notes[app].mean().item())
opt = torch.optim.Adam(modele.parameters(), lr=0.03)


# In[4]:
def rmse(morceau):
    modele.eval()
    with torch.no_grad():
        prevu, _, _ = modele(lecteurs[morceau], livres[morceau])
        return F.mse_loss(prevu, notes[morceau]).sqrt().item()


# In[5]:
LOT = 500
POIDS = {"ajustement": 1.0, "lecteurs": 0.01, "livres": 0.01}

for epoque in range(15):
    modele.train()
    ordre = torch.randperm(17000)
    suivi = []
    perte = 0.0
    for debut in range(0, 17000, LOT):
        idx = ordre[debut:debut + LOT]
        prevu, p, q = modele(lecteurs[idx], livres[idx])
        termes = {
            "ajustement": F.mse_loss(prevu, notes[idx]),
            "lecteurs": p.pow(2).sum(-1).mean(),
            "livres": q.pow(2).sum(-1).mean(),
        }
        for nom, terme in termes.items():
            perte = perte + POIDS[nom] * terme

        opt.zero_grad()
        perte.backward(retain_graph=True)
        opt.step()
        suivi.append(termes["ajustement"].item())
    if epoque % 3 == 2:
        print(f"époque {epoque + 1:2d}  perte {np.mean(suivi):.4f}  rmse validation {rmse(val):.4f}")


# In[6]:
print(f"rmse test : {rmse(tst):.4f}")
constante = (notes[tst] - notes[app].mean()).pow(2).mean().sqrt().item()
print(f"rmse d'une prévision constante : {constante:.4f}")
