"""Zeichenweises Sprachmodell mit durchlaufendem Zustand.

Der Text wird in parallele Spalten gelegt und der Reihe nach gelesen; der Zustand der LSTM
geht von Abschnitt zu Abschnitt weiter (abgetrennt vom Graphen). Ein- und Ausgabeschicht
teilen ihre Gewichte. Der Text stammt aus einer kleinen Phrasengrammatik.
"""
import math
import random

import torch
import torch.nn as nn

KEIM = 77
random.seed(KEIM)
torch.manual_seed(KEIM)

ARTIKEL = {"m": "der", "f": "die", "n": "das"}
NOMEN = [("hund", "m"), ("vogel", "m"), ("mond", "m"), ("tisch", "m"), ("garten", "m"),
         ("katze", "f"), ("lampe", "f"), ("wolke", "f"), ("uhr", "f"), ("insel", "f"),
         ("haus", "n"), ("pferd", "n"), ("fenster", "n"), ("boot", "n"), ("kind", "n")]
ADJEKTIVE = ["alte", "kleine", "rote", "stille", "ferne"]
VERBEN = ["sieht", "sucht", "findet", "malt", "kennt", "mag", "verliert"]
UMSTAND = ["heute", "oft", "nie", "am abend", "im winter", "gern"]
AKKUSATIV = {"m": ("den", "n"), "f": ("die", ""), "n": ("das", "")}


def satz(zufall):
    wort, genus = zufall.choice(NOMEN)
    objekt, og = zufall.choice(NOMEN)
    artikel, endung = AKKUSATIV[og]
    vorn = zufall.choice(ADJEKTIVE) + " " if zufall.random() < 0.5 else ""
    hinten = zufall.choice(ADJEKTIVE) + endung + " " if zufall.random() < 0.5 else ""
    wann = zufall.choice(UMSTAND)
    return f"{ARTIKEL[genus]} {vorn}{wort} {zufall.choice(VERBEN)} {wann} {artikel} {hinten}{objekt}. "


def text(anzahl, keim):
    zufall = random.Random(keim)
    return "".join(satz(zufall) for _ in range(anzahl))


def spalten(ids, breite):
    laenge = (len(ids) - 1) // breite
    x = ids[:laenge * breite].view(breite, laenge)
    y = ids[1:laenge * breite + 1].view(breite, laenge)
    return x, y


def abschnitte(x, y, schritt):
    for i in range(0, x.size(1), schritt):
        yield x[:, i:i + schritt], y[:, i:i + schritt]


class Zeichenmodell(nn.Module):
    def __init__(self, zeichen, dim=64):
        super().__init__()
        self.einbettung = nn.Embedding(zeichen, dim)
        nn.init.normal_(self.einbettung.weight, std=0.1)
        self.lstm = nn.LSTM(dim, dim, batch_first=True)
        self.ausgabe = nn.Linear(dim, zeichen)
        self.ausgabe.weight = self.einbettung.weight

    def forward(self, x, zustand=None):
        h, zustand = self.lstm(self.einbettung(x), zustand)
        return self.ausgabe(h), zustand


@torch.no_grad()
def bits_pro_zeichen(modell, x, y, schritt=50):
    modell.eval()
    summe, anzahl, zustand = 0.0, 0, None
    for xb, yb in abschnitte(x, y, schritt):
        logits, zustand = modell(xb, zustand)
        summe += nn.functional.cross_entropy(logits.flatten(0, 1), yb.flatten(), reduction="sum").item()
        anzahl += yb.numel()
    return summe / anzahl / math.log(2)


@torch.no_grad()
def schreibe(modell, start, zeichen, index, n=70):
    modell.eval()
    ids, zustand = [index[c] for c in start], None
    x = torch.tensor([ids])
    for _ in range(n):
        logits, zustand = modell(x, zustand)
        x = torch.multinomial(logits[:, -1].softmax(-1), 1)
        ids.append(x.item())
    return "".join(zeichen[i] for i in ids)


lern_text, pruef_text = text(2200, 1), text(300, 2)
zeichen = sorted(set(lern_text))
index = {c: i for i, c in enumerate(zeichen)}
lern_x, lern_y = spalten(torch.tensor([index[c] for c in lern_text]), 32)
pruef_x, pruef_y = spalten(torch.tensor([index[c] for c in pruef_text]), 4)

modell = Zeichenmodell(len(zeichen))
optimierer = torch.optim.Adam(modell.parameters(), lr=4e-3)
epochen = 8
plan = torch.optim.lr_scheduler.MultiStepLR(optimierer, milestones=[5, 7], gamma=0.3)
print(f"{len(lern_text)} Zeichen zum Lernen, gleichverteilt wären es {math.log2(len(zeichen)):.2f} Bits pro Zeichen")

for epoche in range(1, epochen + 1):
    modell.train()
    zustand = None
    summe, anzahl = 0.0, 0
    for xb, yb in abschnitte(lern_x, lern_y, 40):
        if zustand is not None:
            zustand = tuple(s.detach() for s in zustand)
        logits, zustand = modell(xb, zustand)
        verlust = nn.functional.cross_entropy(logits.flatten(0, 1), yb.flatten())
        optimierer.zero_grad()
        verlust.backward()
        nn.utils.clip_grad_norm_(modell.parameters(), 1.0)
        optimierer.step()
        summe += verlust.item() * yb.numel()
        anzahl += yb.numel()
    plan.step()
    print(f"Epoche {epoche}: {summe / anzahl / math.log(2):.3f} Bits beim Lernen")

print(f"Prüftext: {bits_pro_zeichen(modell, pruef_x, pruef_y):.3f} Bits pro Zeichen")
print(schreibe(modell, "die ", zeichen, index))
