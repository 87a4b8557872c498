# Digits with a deep MLP  (following the "go deeper" tutorial)

# In[1]:
import random
import numpy as np
import torch
import torch.nn as nn
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split
from torch.utils.data import DataLoader, TensorDataset

SEED = 7
random.seed(SEED)
np.random.seed(SEED)
torch.manual_seed(SEED)
torch.set_num_threads(1)

# In[2]: data
digits = load_digits()
X = digits.data.astype("float32")
y = digits.target
X_train, X_val, y_train, y_val = train_test_split(
    X, y, test_size=0.25, stratify=y, random_state=SEED
)
mu = X_train.mean()
sd = X_train.std()
X_train = (X_train - mu) / sd
X_val = (X_val - mu) / sd
print("train", X_train.shape, "val", X_val.shape)

train_dl = DataLoader(
    TensorDataset(torch.tensor(X_train), torch.tensor(y_train)), batch_size=64, shuffle=True
)
val_dl = DataLoader(TensorDataset(torch.tensor(X_val), torch.tensor(y_val)), batch_size=256)

# In[3]: model
WIDTH = 64
DEPTH = 7
ACT = nn.Sigmoid

layers = [nn.Linear(64, WIDTH), ACT()]
for _ in range(DEPTH - 1):
    layers += [nn.Linear(WIDTH, WIDTH), ACT()]
layers += [nn.Linear(WIDTH, 10)]
model = nn.Sequential(*layers)
for m in model:
    if isinstance(m, nn.Linear):
        nn.init.kaiming_normal_(m.weight, nonlinearity="relu")
        nn.init.zeros_(m.bias)
print(model)

# In[4]: train
EPOCHS = 14
criterion = nn.CrossEntropyLoss()
optimizer = torch.optim.SGD(model.parameters(), lr=0.02, momentum=0.9, weight_decay=2e-3)
scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=EPOCHS)

for epoch in range(1, EPOCHS + 1):
    model.train()
    loss_sum, seen = 0.0, 0
    for xb, yb in train_dl:
        optimizer.zero_grad()
        loss = criterion(model(xb), yb)
        loss.backward()
        optimizer.step()
        loss_sum += loss.item() * len(xb)
        seen += len(xb)
    scheduler.step()

    model.eval()
    hits, vloss = 0, 0.0
    with torch.no_grad():
        for xb, yb in val_dl:
            out = model(xb)
            vloss += criterion(out, yb).item() * len(xb)
            hits += (out.argmax(1) == yb).sum().item()
    print(
        f"epoch {epoch:2d}  train loss {loss_sum / seen:.4f}  "
        f"val loss {vloss / len(X_val):.4f}  val acc {hits / len(X_val):.4f}"
    )
