# Road segmentation (3 classes: grass / road / marking) on synthetic tiles.
# Batch of 64 does not fit on my laptop so I use micro batches of 4.

# In[1]:
import numpy as np
import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(3)
np.random.seed(3)
torch.set_num_threads(1)

MICRO_BATCH = 4
ACCUM_STEPS = 16
LR = 0.2
EPOCHS = 16
S = 24

# In[2]: tiles
col = np.arange(S)[None, :].repeat(S, 0)
row = np.arange(S)[:, None].repeat(S, 1)


def tile():
    a = np.random.uniform(-0.6, 0.6)
    c = np.random.uniform(8, 16)
    d = np.abs(col - (c + a * (row - S / 2)))
    lab = np.zeros((S, S), dtype=np.int64)
    lab[d < 6.5] = 1
    lab[d < 2.0] = 2
    palette = np.array([[0.25, 0.55, 0.2], [0.4, 0.4, 0.42], [0.75, 0.75, 0.6]])
    rgb = palette[lab].transpose(2, 0, 1) * np.random.uniform(0.8, 1.2)
    rgb = rgb + np.random.normal(0, 0.12, rgb.shape)
    return rgb.astype("float32"), lab


data = [tile() for _ in range(640)]
X = torch.tensor(np.stack([d[0] for d in data]))
Y = torch.tensor(np.stack([d[1] for d in data]))
X_tr, Y_tr, X_va, Y_va = X[:512], Y[:512], X[512:], Y[512:]
mean = X_tr.mean(dim=(0, 2, 3), keepdim=True)
std = X_tr.std(dim=(0, 2, 3), keepdim=True)
X_tr = (X_tr - mean) / std
X_va = (X_va - mean) / std
print("class shares", [round((Y_tr == k).float().mean().item(), 3) for k in range(3)])

train_loader = DataLoader(TensorDataset(X_tr, Y_tr), batch_size=MICRO_BATCH, shuffle=True)
val_loader = DataLoader(TensorDataset(X_va, Y_va), batch_size=64)

# In[3]: model
model = nn.Sequential(
    nn.Conv2d(3, 12, 3, padding=1), nn.ReLU(),
    nn.Conv2d(12, 12, 3, padding=2, dilation=2), nn.ReLU(),
    nn.Conv2d(12, 3, 1),
)
criterion = nn.CrossEntropyLoss()
optimizer = torch.optim.SGD(model.parameters(), lr=LR, momentum=0.9)
scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=EPOCHS)

# In[4]: training
for epoch in range(EPOCHS):
    model.train()
    running = 0.0
    optimizer.zero_grad()
    for i, (x, y) in enumerate(train_loader):
        loss = criterion(model(x), y)
        running += loss.item()
        loss.backward()
        if (i + 1) % ACCUM_STEPS == 0:
            optimizer.step()
            optimizer.zero_grad()
    scheduler.step()

    model.eval()
    ok, n, vl = 0, 0, 0.0
    with torch.no_grad():
        for x, y in val_loader:
            out = model(x)
            vl += criterion(out, y).item() * len(x)
            ok += (out.argmax(1) == y).sum().item()
            n += y.numel()
    print("epoch %2d | train %.4f | val %.4f | pixel acc %.4f"
          % (epoch + 1, running / len(train_loader), vl / len(X_va), ok / n))
