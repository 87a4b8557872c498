"""Lists that grow in nested loops and are not sorted by class: groups, looked-up labels, turns, and mixing."""

import random

import numpy as np
from sklearn.linear_model import LogisticRegression

random.seed(0)
rng = np.random.default_rng(0)
diagnoses = rng.integers(0, 2, 60)
windows, wanted, patients = [], [], []
for patient in range(60):
    for _ in range(20):
        windows.append(rng.normal(diagnoses[patient], 1.0, 8))
        wanted.append(diagnoses[patient])
        patients.append(patient)
windows, wanted, patients = np.array(windows), np.array(wanted), np.array(patients)
places = np.arange(len(windows))
cut = 50 * 20
train, test = places[:cut], places[cut:]
model = LogisticRegression().fit(windows[train], wanted[train])
print(model.score(windows[test], wanted[test]), len(set(patients[train]) & set(patients[test])))

rows, kinds = [], []
for _ in range(100):
    for kind in range(3):
        rows.append(rng.normal(kind, 1.0, 4))
        kinds.append(kind)
rows, kinds = np.array(rows), np.array(kinds)
model = LogisticRegression().fit(rows[:240], kinds[:240])
print(model.score(rows[240:], kinds[240:]))

pairs, names = [], []
for name in range(4):
    for _ in range(25):
        pairs.append(rng.normal(name, 1.0, 4))
        names.append(name)
together = list(zip(pairs, names, strict=True))
random.shuffle(together)
pairs, names = map(np.array, zip(*together, strict=True))
model = LogisticRegression().fit(pairs[:80], names[:80])
print(model.score(pairs[80:], names[80:]))
