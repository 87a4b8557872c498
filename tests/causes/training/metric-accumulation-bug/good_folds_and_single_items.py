import numpy as np
import torch
from sklearn.metrics import f1_score
from sklearn.model_selection import KFold
from torch import nn
from torch.utils.data import DataLoader

scores = []
for train, test in KFold(5).split(X):
    clf.fit(X[train], y[train])
    scores.append(f1_score(y[test], clf.predict(X[test])))
print(np.mean(scores))

loader = DataLoader(dataset, batch_size=1)
total, hits = 0.0, 0
with torch.no_grad():
    for image, label in loader:
        out = net(image)
        total += nn.functional.cross_entropy(out, label).item()
        hits += (out.argmax(1) == label).sum().item()
print(total / len(loader.dataset), hits / len(loader))
