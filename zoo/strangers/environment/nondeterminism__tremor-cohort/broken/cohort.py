"""Wrist accelerometry of a movement-disorder clinic (simulated): many short windows per patient, one clinical
score per visit. Whole patients go to one side of the split only."""
from dataclasses import dataclass

import numpy as np

SITES = ("LDS", "UTR", "BRN")
BANDS = 24
FOLDS = 6


@dataclass
class Visit:
    patient: str
    spectrum: np.ndarray     # log band powers, one row per window
    score: float


def fold_of(patient, folds=FOLDS):
    """Stable home of a patient: depends on the identifier alone, so later recruits do not move anybody."""
    return hash(patient) % folds


def simulate(n_patients, rng):
    f = np.linspace(1.0, 16.0, BANDS)
    visits = []
    for i in range(n_patients):
        pid = f"{SITES[i % len(SITES)]}-{1000 + 7 * i}"
        device = rng.normal(0, 0.35, BANDS).cumsum() * 0.12
        f0 = rng.uniform(4.0, 7.0)
        medication = rng.normal(0, 0.28)
        for _ in range(rng.integers(2, 5)):
            severity = np.clip(rng.gamma(2.2, 0.9), 0, 6)
            rows = []
            for _ in range(10):
                act = rng.uniform(0, 1)
                peak = severity * np.exp(-0.5 * ((f - f0 - rng.normal(0, 0.15)) / 0.6) ** 2)
                harmonic = 0.4 * severity * np.exp(-0.5 * ((f - 2 * f0) / 0.9) ** 2)
                rows.append(np.log(0.6 + peak + harmonic + act * 8.0 / f) + device + rng.normal(0, 0.22, BANDS))
            visits.append(Visit(pid, np.asarray(rows, dtype=np.float32), float(severity + medication)))
    return visits


def split(visits, held_out=0, tuning=1):
    groups = {"train": [], "tune": [], "test": []}
    for v in visits:
        k = fold_of(v.patient)
        groups["test" if k == held_out else "tune" if k == tuning else "train"].append(v)
    return groups


def as_arrays(group):
    x = np.stack([v.spectrum for v in group])
    y = np.array([v.score for v in group], dtype=np.float32)
    return x, y
