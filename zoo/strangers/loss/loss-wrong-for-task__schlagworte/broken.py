# Schlagwort-Vergabe fuer kurze Meldungen: jede Meldung traegt kein, ein oder mehrere Themen.
import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset

THEMEN = ["politik", "sport", "wirtschaft", "wetter", "kultur", "verkehr", "technik", "gesundheit"]
WOERTER_PRO_THEMA = 30
ALLGEMEIN = 80
WORTSCHATZ = WOERTER_PRO_THEMA * len(THEMEN) + ALLGEMEIN


class Meldungen(Dataset):
    """Zufaellige Meldungen als Wortzaehlung mit Mehrfach-Themen."""

    def __init__(self, anzahl, saat):
        rng = np.random.default_rng(saat)
        self.zaehlung = np.zeros((anzahl, WORTSCHATZ), dtype=np.float32)
        self.themen = np.zeros((anzahl, len(THEMEN)), dtype=np.float32)
        for i in range(anzahl):
            aktiv = rng.random(len(THEMEN)) < 0.16
            self.themen[i] = aktiv
            auswahl = np.flatnonzero(aktiv)
            for _ in range(rng.integers(35, 60)):
                u = rng.random()
                if u < 0.45 and len(auswahl):
                    wort = rng.choice(auswahl) * WOERTER_PRO_THEMA + rng.integers(WOERTER_PRO_THEMA)
                elif 0.45 <= u < 0.53:
                    wort = rng.integers(WOERTER_PRO_THEMA * len(THEMEN))
                else:
                    wort = WORTSCHATZ - 1 - rng.integers(ALLGEMEIN)
                self.zaehlung[i, wort] += 1

    def __len__(self):
        return len(self.themen)

    def __getitem__(self, i):
        return torch.from_numpy(self.zaehlung[i]), torch.from_numpy(self.themen[i])


class Verschlagworter(nn.Module):
    def __init__(self, mittel, streuung, breite=48):
        super().__init__()
        self.register_buffer("mittel", mittel)
        self.register_buffer("streuung", streuung)
        self.netz = nn.Sequential(
            nn.Linear(WORTSCHATZ, breite), nn.ReLU(), nn.Dropout(0.3),
            nn.Linear(breite, len(THEMEN)),
        )

    def forward(self, zaehlung):
        return self.netz((zaehlung - self.mittel) / self.streuung)

    @torch.no_grad()
    def vergib(self, zaehlung):
        self.eval()
        return torch.sigmoid(self(zaehlung)) > 0.5


def micro_f1(modell, lader):
    tp = fp = fn = 0
    for x, y in lader:
        vorhersage, wahr = modell.vergib(x), y.bool()
        tp += (vorhersage & wahr).sum().item()
        fp += (vorhersage & ~wahr).sum().item()
        fn += (~vorhersage & wahr).sum().item()
    return 2 * tp / max(2 * tp + fp + fn, 1)


def haupt():
    torch.manual_seed(12)
    np.random.seed(12)
    training, pruefung, test = Meldungen(2500, 1), Meldungen(400, 2), Meldungen(800, 3)
    lader = DataLoader(training, batch_size=50, shuffle=True)
    lader_pruefung = DataLoader(pruefung, batch_size=200)
    lader_test = DataLoader(test, batch_size=200)

    wortzahl = torch.from_numpy(training.zaehlung)
    modell = Verschlagworter(wortzahl.mean(0), wortzahl.std(0))
    verlust = nn.CrossEntropyLoss()
    epochen = 10
    opt = torch.optim.AdamW(modell.parameters(), lr=2e-3, weight_decay=0.01)
    plan = torch.optim.lr_scheduler.CosineAnnealingLR(opt, epochen)

    for epoche in range(1, epochen + 1):
        modell.train()
        summe = 0.0
        for x, y in lader:
            v = verlust(modell(x), y)
            opt.zero_grad()
            v.backward()
            opt.step()
            summe += v.item() * len(x)
        plan.step()
        print(f"Epoche {epoche:2d}  Verlust {summe / len(training):.4f}  "
              f"F1 (Pruefung) {micro_f1(modell, lader_pruefung):.3f}")

    print(f"F1 (Test): {micro_f1(modell, lader_test):.3f}")
    x, y = test[0]
    marken = modell.vergib(x[None])[0]
    print("Beispiel:", [t for t, m in zip(THEMEN, marken) if m], "wahr:", [t for t, m in zip(THEMEN, y) if m])


if __name__ == "__main__":
    haupt()
