# Wissensgraph-Vervollständigung mit DistMult und negativem Sampling.
# Der Graph ist erfunden: Personen, Firmen, Städte, Länder, Sprachen.
import random
from collections import defaultdict

import torch
import torch.nn as nn
import torch.nn.functional as F

random.seed(33)
torch.manual_seed(33)


def baue_graph(personen=500, staedte=20, laender=5, firmen_je_stadt=2):
    namen, tripel = {}, []

    def knoten(name):
        return namen.setdefault(name, len(namen))

    REL = {r: i for i, r in enumerate(["wohnt_in", "arbeitet_bei", "buerger_von", "spricht", "sitz_in", "liegt_in"])}
    for s in range(staedte):
        tripel.append((knoten(f"stadt{s}"), REL["liegt_in"], knoten(f"land{s % laender}")))
        for f in range(firmen_je_stadt):
            tripel.append((knoten(f"firma{s}_{f}"), REL["sitz_in"], knoten(f"stadt{s}")))
    fest = len(tripel)
    for p in range(personen):
        s = p % staedte
        f = random.randrange(firmen_je_stadt)
        h = knoten(f"person{p}")
        tripel.append((h, REL["wohnt_in"], knoten(f"stadt{s}")))
        tripel.append((h, REL["arbeitet_bei"], knoten(f"firma{s}_{f}")))
        tripel.append((h, REL["buerger_von"], knoten(f"land{s % laender}")))
        tripel.append((h, REL["spricht"], knoten(f"sprache{s % laender}")))
    return len(namen), len(REL), tripel[:fest], tripel[fest:]


def teile(variabel):
    """Je Person höchstens EIN Tripel zurückhalten, damit jede Person im Training vorkommt."""
    je_kopf = defaultdict(list)
    for t in variabel:
        je_kopf[t[0]].append(t)
    train, valid, test = [], [], []
    for ts in je_kopf.values():
        raus = random.choice([t for t in ts if t[1] != 1])      # arbeitet_bei ist nicht erschließbar
        ziel = random.choices([train, valid, test], weights=[0.4, 0.2, 0.4])[0]
        for t in ts:
            (ziel if t == raus else train).append(t)
    return train, valid, test


class DistMult(nn.Module):
    def __init__(self, n_ent, n_rel, dim=32):
        super().__init__()
        self.ent = nn.Embedding(n_ent, dim)
        self.rel = nn.Embedding(n_rel, dim)
        nn.init.normal_(self.ent.weight, std=0.35)
        nn.init.normal_(self.rel.weight, std=0.35)

    def forward(self, h, r, t):
        return (self.ent(h) * self.rel(r) * self.ent(t)).sum(-1)

    def alle_enden(self, h, r):
        return (self.ent(h) * self.rel(r)) @ self.ent.weight.T


def mrr(modell, tripel, bekannt):
    modell.eval()
    h, r, t = torch.tensor(tripel).T
    with torch.no_grad():
        punkte = modell.alle_enden(h, r)
    for zeile, (a, b, c) in enumerate(tripel):
        andere = [x for x in bekannt[a, b] if x != c]
        punkte[zeile, andere] = float("-inf")
    eigen = punkte.gather(1, t[:, None])
    rang = 1 + (punkte > eigen).sum(1)
    return (1.0 / rang).mean().item(), (rang == 1).float().mean().item()


n_ent, n_rel, fest, variabel = baue_graph()
train, valid, test = teile(variabel)
train = fest + train
bekannt = defaultdict(set)
for a, b, c in train + valid + test:
    bekannt[a, b].add(c)
print(n_ent, "Knoten;", len(train), len(valid), len(test), "Tripel")

daten = torch.tensor(train)
modell = DistMult(n_ent, n_rel)
opt = torch.optim.Adam(modell.parameters(), lr=0.02)
EPOCHEN, NEGATIVE = 24, 64
planer = torch.optim.lr_scheduler.LinearLR(opt, 1.0, 0.05, total_iters=EPOCHEN)
for epoche in range(EPOCHEN):
    modell.train()
    summe = 0.0
    for idx in torch.randperm(len(daten)).split(128):
        h, r, t = daten[idx].T
        # entweder Kopf oder Ende verfälschen
        falsch = torch.randint(0, n_ent, (len(idx), NEGATIVE))
        kopf = (torch.rand(len(idx), 1) < 0.5)
        h_neg = torch.where(kopf, falsch, h[:, None])
        t_neg = torch.where(kopf, t[:, None], falsch)
        positiv = modell(h, r, t)
        negativ = modell(h_neg, r[:, None], t_neg)
        strafe = modell.ent(h).square().mean() + modell.ent(t).square().mean() + modell.rel(r).square().mean()
        verlust = -F.logsigmoid(positiv).mean() - F.logsigmoid(-negativ).mean() + 0.15 * strafe
        opt.zero_grad()
        verlust.backward()
        opt.step()
        summe += verlust.item() * len(idx)
    planer.step()
    if epoche % 4 == 3:
        print(f"Epoche {epoche + 1:3d}  Verlust {summe / len(daten):.4f}  MRR (valid) {mrr(modell, valid, bekannt)[0]:.3f}")

m, h1 = mrr(modell, test, bekannt)
print(f"Test: MRR {m:.3f}, Hits@1 {h1:.3f} bei {n_ent} Kandidaten")
