"""Vorhersage mit Unsicherheit: heteroskedastisches Netz, Monte-Carlo-Dropout bei der Auswertung."""
from dataclasses import dataclass

import numpy as np
import torch
from scipy.stats import spearmanr
from torch import nn


@dataclass(frozen=True)
class Einstellungen:
    saat: int = 21
    anzahl: int = 3000
    breite: int = 64
    ausfall: float = 0.02
    epochen: int = 30
    stapel: int = 64
    lernrate: float = 3e-3
    ziehungen: int = 30
    beta: float = 0.75


def erzeuge_daten(cfg):
    rng = np.random.default_rng(cfg.saat)
    x = rng.uniform(-3, 3, (cfg.anzahl, 3))
    rauschen = 0.1 + 0.3 / (1 + np.exp(-2 * x[:, 0]))
    y = np.sin(x[:, 0]) * x[:, 1] + 0.5 * x[:, 2] + rauschen * rng.normal(size=cfg.anzahl)
    grenzen = int(0.7 * cfg.anzahl), int(0.85 * cfg.anzahl)
    return np.split(x, grenzen), np.split(y, grenzen)


class Netz(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        self.rumpf = nn.Sequential(
            nn.Linear(3, cfg.breite), nn.SiLU(), nn.Dropout(cfg.ausfall),
            nn.Linear(cfg.breite, cfg.breite), nn.SiLU(), nn.Dropout(cfg.ausfall),
        )
        self.mittel = nn.Linear(cfg.breite, 1)
        self.logvar = nn.Linear(cfg.breite, 1)

    def forward(self, x):
        h = self.rumpf(x)
        return self.mittel(h).squeeze(-1), self.logvar(h).squeeze(-1).clamp(-7, 5)


def negative_loglik(mittel, logvar, ziel):
    # ohne die Konstante log(2*pi)/2, kann also kleiner als null werden
    return 0.5 * (logvar + (ziel - mittel) ** 2 / logvar.exp())


def beta_verlust(mittel, logvar, ziel, beta):
    """Beta-NLL (Seitzer u. a. 2022): die Gewichte sind Konstanten, ihre Ableitung wird nicht gebraucht."""
    gewicht = logvar.detach().exp() ** beta
    return (gewicht * negative_loglik(mittel, logvar, ziel)).mean()


def nur_dropout_an(netz):
    netz.eval()
    for modul in netz.modules():
        if isinstance(modul, nn.Dropout):
            modul.train()


@torch.no_grad()
def ziehe(netz, x, n):
    nur_dropout_an(netz)
    lose = [netz(x) for _ in range(n)]
    netz.eval()
    mittel = torch.stack([m for m, _ in lose])
    zufall = torch.stack([v.exp() for _, v in lose]).mean(0)
    return mittel.mean(0), (mittel.var(0) + zufall).sqrt()


def main(cfg=Einstellungen()):
    torch.manual_seed(cfg.saat)
    (x_lern, x_val, x_test), (y_lern, y_val, y_test) = erzeuge_daten(cfg)
    xm, xs, ym, ys = x_lern.mean(0), x_lern.std(0), y_lern.mean(), y_lern.std()
    x_lern, x_val, x_test = (torch.tensor((a - xm) / xs, dtype=torch.float32) for a in (x_lern, x_val, x_test))
    y_lern, y_val, y_test = (torch.tensor((a - ym) / ys, dtype=torch.float32) for a in (y_lern, y_val, y_test))

    netz = Netz(cfg)
    opt = torch.optim.Adam(netz.parameters(), lr=cfg.lernrate)
    plan = torch.optim.lr_scheduler.CosineAnnealingLR(opt, cfg.epochen)
    for epoche in range(1, cfg.epochen + 1):
        netz.train()
        for zeilen in torch.randperm(len(x_lern)).split(cfg.stapel):
            verlust = beta_verlust(*netz(x_lern[zeilen]), y_lern[zeilen], cfg.beta)
            opt.zero_grad()
            verlust.backward()
            nn.utils.clip_grad_norm_(netz.parameters(), 10.0)
            opt.step()
        plan.step()
        if epoche % 5 == 0:
            netz.eval()
            with torch.no_grad():
                nll = negative_loglik(*netz(x_val), y_val).mean().item()
            print(f"Epoche {epoche:2d}: NLL val {nll:+.3f}")

    mittel, streuung = ziehe(netz, x_test, cfg.ziehungen)
    fehler = mittel - y_test
    r2 = 1 - fehler.pow(2).mean() / y_test.var(unbiased=False)
    rang = spearmanr(streuung.numpy(), fehler.abs().numpy()).statistic
    print(f"Test: R2 {r2:.3f}, Rangkorrelation von Streuung und Fehler {rang:.2f}")


if __name__ == "__main__":
    main()
