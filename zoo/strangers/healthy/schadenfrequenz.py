# Schadenhäufigkeit in der Kfz-Versicherung: Poisson-Netz mit Exposure-Offset.
#
# Vorverarbeitung komplett in einer scikit-learn-Pipeline:
#   * Regionalklasse (180 Stufen) und Fahrzeugtyp (60 Stufen) -> TargetEncoder. fit_transform() kodiert die Trainingszeilen
#     out-of-fold (nach Kunden gruppiert), transform() kodiert neue Zeilen mit den Mittelwerten des ganzen Trainingsteils. Dass beides nicht
#     dasselbe ist, ist Absicht: sonst sähe das Netz in der Kodierung seine eigene Zielgröße.
#   * Lücken -> Median + Indikator, danach Standardisierung.
# Alles wird nur auf dem Trainingsteil angepasst. Geteilt wird nach Kunde, weil derselbe Kunde mehrere Vertragsjahre hat.

import numpy as np
import pandas as pd
import torch
from sklearn.compose import ColumnTransformer
from sklearn.impute import SimpleImputer
from sklearn.metrics import mean_poisson_deviance
from sklearn.model_selection import GroupKFold, GroupShuffleSplit
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler, TargetEncoder
from torch import nn

SAAT = 2024
rng = np.random.default_rng(SAAT)
torch.manual_seed(SAAT)


def erzeuge_bestand(n_kunden=7000):
    jahre = rng.integers(1, 5, n_kunden)
    kunde = np.repeat(np.arange(n_kunden), jahre)
    n = len(kunde)
    region_k = rng.integers(0, 180, n_kunden)
    typ_k = rng.integers(0, 60, n_kunden)
    alter_k = rng.uniform(18, 80, n_kunden)
    region_effekt = rng.normal(0, 0.45, 180)
    typ_effekt = rng.normal(0, 0.35, 60)
    df = pd.DataFrame(dict(kunde=kunde, region=[f"R{r:03d}" for r in region_k[kunde]], typ=[f"T{t:02d}" for t in typ_k[kunde]]))
    df["alter"] = alter_k[kunde] + np.concatenate([np.arange(j) for j in jahre])
    df["leistung_kw"] = rng.gamma(9, 10, n)
    df["km_pro_jahr"] = rng.lognormal(9.4, 0.4, n)
    df["exposure"] = np.where(rng.random(n) < 0.7, 1.0, rng.uniform(0.1, 1.0, n))
    jung = np.exp(-(df.alter - 18) / 8)
    log_rate = (-0.9 + region_effekt[region_k[kunde]] + typ_effekt[typ_k[kunde]] + 1.0 * jung + 0.25 * ((df.alter - 52) / 18) ** 2
                + 0.3 * (np.log(df.km_pro_jahr) - 9.4) / 0.4 + 0.2 * (df.leistung_kw - 90) / 30)
    df["wahre_rate"] = np.exp(log_rate)
    df["schaeden"] = rng.poisson(df.wahre_rate * df.exposure)
    df.loc[rng.random(n) < 0.12, "km_pro_jahr"] = np.nan        # Kilometer oft nicht angegeben
    df.loc[rng.random(n) < 0.05, "leistung_kw"] = np.nan
    df["log_km"] = np.log(df.km_pro_jahr)
    return df


bestand = erzeuge_bestand()
merkmale_kat, merkmale_num = ["region", "typ"], ["alter", "leistung_kw", "log_km"]

# --- Teilung nach Kunden: 70 % Training, 15 % Validierung, 15 % Test -------------------------------------------------
i_train, i_rest = next(GroupShuffleSplit(1, test_size=0.3, random_state=1).split(bestand, groups=bestand.kunde))
rest = bestand.iloc[i_rest]
j_val, j_test = next(GroupShuffleSplit(1, test_size=0.5, random_state=2).split(rest, groups=rest.kunde))
train, val, test = bestand.iloc[i_train], rest.iloc[j_val], rest.iloc[j_test]
assert not (set(train.kunde) & set(val.kunde) | set(train.kunde) & set(test.kunde) | set(val.kunde) & set(test.kunde))
print(f"Zeilen: Training {len(train)}, Validierung {len(val)}, Test {len(test)}; mittlere Häufigkeit {train.schaeden.sum() / train.exposure.sum():.3f}")

falten = list(GroupKFold(5).split(train, groups=train.kunde))
vorverarbeitung = ColumnTransformer([
    ("kat", make_pipeline(TargetEncoder(target_type="continuous", cv=falten, smooth="auto"), StandardScaler()), merkmale_kat),
    ("num", make_pipeline(SimpleImputer(strategy="median", add_indicator=True), StandardScaler()), merkmale_num),
])
haeufigkeit = train.schaeden / train.exposure.clip(lower=0.1)
x_train = vorverarbeitung.fit_transform(train, haeufigkeit)      # out-of-fold
x_val = vorverarbeitung.transform(val)


def als_tensor(a):
    return torch.as_tensor(np.asarray(a, dtype=np.float32))


def paket(x, df):
    return als_tensor(x), als_tensor(np.log(df.exposure)), als_tensor(df.schaeden)


class Tarif(nn.Module):
    """log E[Schäden] = Netz(x) + log Exposure"""

    def __init__(self, breite_ein, start):
        super().__init__()
        self.netz = nn.Sequential(nn.Linear(breite_ein, 32), nn.GELU(), nn.Linear(32, 16), nn.GELU())
        self.aus = nn.Linear(16, 1)
        nn.init.constant_(self.aus.bias, start)      # Startpunkt: mittlere log-Rate des Trainings

    def forward(self, x, log_exposure):
        return self.aus(self.netz(x)).squeeze(-1) + log_exposure


xt, et, yt = paket(x_train, train)
xv, ev, yv = paket(x_val, val)
tarif = Tarif(xt.shape[1], float(np.log(train.schaeden.sum() / train.exposure.sum())))
verlust = nn.PoissonNLLLoss(log_input=True)          # erwartet log-Raten, darum kein exp am Ausgang
opt = torch.optim.AdamW(tarif.parameters(), lr=2e-3, weight_decay=1e-2)
EPOCHEN, PAKET = 16, 256
plan = torch.optim.lr_scheduler.LinearLR(opt, 1.0, 0.05, total_iters=EPOCHEN)

for epoche in range(EPOCHEN):
    tarif.train()
    summe = 0.0
    for idx in torch.randperm(len(xt)).split(PAKET):
        opt.zero_grad()
        l = verlust(tarif(xt[idx], et[idx]), yt[idx])
        l.backward()
        opt.step()
        summe += l.item() * len(idx)
    plan.step()
    tarif.eval()
    with torch.no_grad():
        lv = verlust(tarif(xv, ev), yv).item()
    if epoche % 2 == 1 or epoche == 0:
        print(f"Epoche {epoche + 1:2d}: Poisson-NLL Training {summe / len(xt):.4f}  Validierung {lv:.4f}")

# --- Test, einmal ----------------------------------------------------------------------------------------------------
xs, es, ys = paket(vorverarbeitung.transform(test), test)
with torch.no_grad():
    erwartet = tarif(xs, es).exp().numpy()
pauschal = test.exposure * train.schaeden.sum() / train.exposure.sum()
print("\nPoisson-Devianz im Test")
print(f"  pauschale Rate : {mean_poisson_deviance(test.schaeden, pauschal):.4f}")
print(f"  Netz           : {mean_poisson_deviance(test.schaeden, erwartet):.4f}")
print(f"  wahre Rate     : {mean_poisson_deviance(test.schaeden, test.wahre_rate * test.exposure):.4f}   (untere Grenze, nur in der Simulation bekannt)")
print(f"  Bilanz: erwartete Schäden {erwartet.sum():.0f}, eingetreten {test.schaeden.sum()}")
