"""Tumour subtype from gene expression: pick the most telling genes, then train a small network."""

import numpy as np
import torch
from sklearn.feature_selection import SelectKBest, f_classif
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler
from torch import nn

SEED = 21
N_PATIENTS, N_GENES, N_MARKERS = 500, 4000, 20
N_SELECTED = 60

rng = np.random.default_rng(SEED)
torch.manual_seed(SEED)

subtype = rng.permutation(np.arange(N_PATIENTS) % 2)
expression = rng.normal(5.0, 1.5, size=(N_PATIENTS, N_GENES))
expression[:, :N_MARKERS] += 0.9 * subtype[:, None]

selector = SelectKBest(f_classif, k=N_SELECTED)
expression = selector.fit_transform(expression, subtype)
x_train, x_test, y_train, y_test = train_test_split(
    expression, subtype, test_size=0.3, stratify=subtype, random_state=SEED
)
print(f"kept {N_SELECTED} of {N_GENES} genes")

scaler = StandardScaler().fit(x_train)
x_train = torch.tensor(scaler.transform(x_train), dtype=torch.float32)
x_test = torch.tensor(scaler.transform(x_test), dtype=torch.float32)
y_train = torch.tensor(y_train, dtype=torch.float32)
y_test = torch.tensor(y_test, dtype=torch.float32)

model = nn.Sequential(
    nn.Linear(N_SELECTED, 16),
    nn.Tanh(),
    nn.Dropout(0.3),
    nn.Linear(16, 1),
)
loss_fn = nn.BCEWithLogitsLoss()
optimizer = torch.optim.SGD(model.parameters(), lr=0.02, momentum=0.9, weight_decay=0.1)

batch_size = 35
for epoch in range(20):
    model.train()
    total = 0.0
    for idx in torch.randperm(len(x_train)).split(batch_size):
        logits = model(x_train[idx]).squeeze(1)
        loss = loss_fn(logits, y_train[idx])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        total += loss.item() * len(idx)
    if epoch % 2 == 1:
        print(f"epoch {epoch + 1:3d}: train loss {total / len(x_train):.3f}")

model.eval()
with torch.no_grad():
    predicted = model(x_test).squeeze(1) > 0
accuracy = (predicted == y_test.bool()).float().mean().item()
print(f"held-out accuracy {accuracy:.3f}")
