# Toy cell segmentation, mini U-Net, reports IoU every epoch

# In[1]:
import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset

np.random.seed(21)
torch.manual_seed(21)
torch.set_num_threads(1)

SIZE = 32
N_TRAIN, N_VAL = 320, 80
EPOCHS = 14
BATCH = 16
VAL_BATCH = 64

# In[2]: draw some cells
yy, xx = np.mgrid[0:SIZE, 0:SIZE]


def draw():
    img = np.random.normal(0, 0.35, (SIZE, SIZE))
    mask = np.zeros((SIZE, SIZE), dtype=bool)
    for _ in range(np.random.randint(2, 5)):
        cx, cy = np.random.uniform(5, SIZE - 5, 2)
        r = np.random.uniform(3.0, 6.5)
        mask |= (xx - cx) ** 2 + (yy - cy) ** 2 < r * r
    img += mask * np.random.uniform(0.7, 1.1)
    img += 0.4 * (xx / SIZE) * np.random.uniform(-1, 1)
    return img.astype("float32"), mask.astype("float32")


pairs = [draw() for _ in range(N_TRAIN + N_VAL)]
imgs = torch.tensor(np.stack([p[0] for p in pairs])).unsqueeze(1)
masks = torch.tensor(np.stack([p[1] for p in pairs])).unsqueeze(1)
m, s = imgs[:N_TRAIN].mean(), imgs[:N_TRAIN].std()
imgs = (imgs - m) / s
train_loader = DataLoader(TensorDataset(imgs[:N_TRAIN], masks[:N_TRAIN]), BATCH, shuffle=True)
val_loader = DataLoader(TensorDataset(imgs[N_TRAIN:], masks[N_TRAIN:]), VAL_BATCH)
print("foreground share:", masks.mean().item())


# In[3]: model
def block(i, o):
    return nn.Sequential(nn.Conv2d(i, o, 3, padding=1), nn.ReLU())


class MiniUNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.d1 = block(1, 8)
        self.d2 = block(8, 16)
        self.up = block(16 + 8, 8)
        self.head = nn.Conv2d(8, 1, 1)

    def forward(self, x):
        a = self.d1(x)
        b = self.d2(F.max_pool2d(a, 2))
        b = F.interpolate(b, scale_factor=2, mode="nearest")
        return self.head(self.up(torch.cat([a, b], 1)))


model = MiniUNet()
criterion = nn.BCEWithLogitsLoss()
optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=EPOCHS)

# In[4]: go
history = []

for epoch in range(EPOCHS):
    train_loss, n_seen = 0.0, 0
    model.train()
    for x, y in train_loader:
        optimizer.zero_grad()
        loss = criterion(model(x), y)
        loss.backward()
        optimizer.step()
        train_loss += loss.item() * x.size(0)
        n_seen += x.size(0)
    scheduler.step()

    model.eval()
    val_loss, iou_sum, n_val = 0.0, 0.0, 0
    with torch.no_grad():
        for x, y in val_loader:
            out = model(x)
            val_loss += criterion(out, y).item() * x.size(0)
            n_val += x.size(0)
            pred = torch.sigmoid(out) > 0.5
            truth = y > 0.5
            inter = (pred & truth).sum(dim=(1, 2, 3))
            union = (pred | truth).sum(dim=(1, 2, 3))
            iou_sum += (inter / union).sum().item()
    iou = iou_sum / (len(val_loader) * VAL_BATCH)
    history.append(iou)
    print(
        f"[{epoch + 1:02d}/{EPOCHS}] train {train_loss / n_seen:.4f} "
        f"val {val_loss / n_val:.4f} IoU {iou:.4f}"
    )

print("final IoU on validation:", round(history[-1], 4))
