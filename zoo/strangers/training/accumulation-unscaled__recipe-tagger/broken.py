#!/usr/bin/env python
# etiquetage de recettes : quantité / unité / ingrédient / autre
import random
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.nn.utils.rnn import pad_sequence

GRAINE = 13
random.seed(GRAINE)
torch.manual_seed(GRAINE)

QUANT = ["un", "deux", "trois", "quatre", "demi", "dix", "vingt", "cent"]
UNITE = ["grammes", "litre", "cuillère", "pincée", "verre", "tasse", "sachet"]
INGR = ["farine", "sucre", "beurre", "lait", "sel", "levure", "vanille", "orange", "citron", "crème"]
AUTRE = ["ajouter", "puis", "mélanger", "bien", "dans", "bol", "le", "la", "et", "chaud", "avec"]
# mots ambigus : leur rôle dépend du voisin
AMBIGU = ["verre", "tasse", "orange", "cent"]
ETIQ = {"Q": 0, "U": 1, "I": 2, "O": 3}


def phrase():
    mots, tags = [], []
    for _ in range(random.randint(2, 4)):
        if random.random() < 0.7:
            mots += [random.choice(QUANT), random.choice(UNITE), "de", random.choice(INGR)]
            tags += ["Q", "U", "O", "I"]
        else:
            # ici le récipient ou la couleur, pas l'unité ni l'ingrédient
            mots += [random.choice(AUTRE), "le", random.choice(AMBIGU)]
            tags += ["O", "O", "O"]
        for _ in range(random.randint(0, 2)):
            mots.append(random.choice(AUTRE))
            tags.append("O")
    return mots, [ETIQ[t] for t in tags]


vocab = {"<pad>": 0}
for m in QUANT + UNITE + INGR + AUTRE + AMBIGU + ["de"]:
    vocab.setdefault(m, len(vocab))


def corpus(n):
    return [(torch.tensor([vocab[m] for m in ms]), torch.tensor(ts)) for ms, ts in (phrase() for _ in range(n))]


apprentissage = corpus(960)
essai = corpus(300)


def lots(donnees, taille, melange):
    ordre = list(range(len(donnees)))
    if melange:
        random.shuffle(ordre)
    for i in range(0, len(ordre), taille):
        lot = [donnees[j] for j in ordre[i:i + taille]]
        yield (pad_sequence([a for a, _ in lot], batch_first=True),
               pad_sequence([b for _, b in lot], batch_first=True, padding_value=-100))


class Etiqueteur(nn.Module):
    def __init__(self, dim=24, cache=24):
        super().__init__()
        self.plong = nn.Embedding(len(vocab), dim, padding_idx=0)
        self.gru = nn.GRU(dim, cache, batch_first=True, bidirectional=True)
        self.sortie = nn.Linear(2 * cache, len(ETIQ))

    def forward(self, x):
        return self.sortie(self.gru(self.plong(x))[0])


def perte(logits, y):
    return F.cross_entropy(logits.flatten(0, 1), y.flatten(), ignore_index=-100)


modele = Etiqueteur()
optim = torch.optim.SGD(modele.parameters(), lr=0.7, momentum=0.9)
ACCUM = 12         # 12 petits lots de 8 phrases = un lot de 96
EPOQUES = 6

for ep in range(EPOQUES):
    modele.train()
    somme, nb = 0.0, 0
    optim.zero_grad()
    for k, (x, y) in enumerate(lots(apprentissage, 8, True), start=1):
        l = perte(modele(x), y)
        l.backward()
        if k % ACCUM == 0:      # 120 lots par époque : tombe juste
            optim.step()
            optim.zero_grad()
        somme += l.item()
        nb += 1
    print(f"époque {ep + 1} perte {somme / nb:.4f}")

modele.eval()
juste = total = 0
with torch.no_grad():
    for x, y in lots(essai, 50, False):
        pred = modele(x).argmax(-1)
        garde = y != -100
        juste += (pred[garde] == y[garde]).sum().item()
        total += garde.sum().item()
print(f"exactitude par mot sur l'essai : {juste / total:.3f}")
