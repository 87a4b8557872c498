# %% [markdown]
# Transfer: pretrain a small conv encoder on rotations, then fine-tune on the digit labels.

# %%
import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split

torch.manual_seed(42)
np.random.seed(42)

# %%
digits = load_digits()
X = (digits.images / 8.0 - 1.0).astype("float32")[:, None]
y = digits.target.astype("int64")
X_tr, X_te, y_tr, y_te = train_test_split(X, y, test_size=0.25, stratify=y, random_state=0)
X_tr, X_va, y_tr, y_va = train_test_split(X_tr, y_tr, test_size=0.2, stratify=y_tr, random_state=0)
X_tr, X_va, X_te = map(torch.from_numpy, (X_tr, X_va, X_te))
y_tr, y_va, y_te = map(torch.from_numpy, (y_tr, y_va, y_te))
print(X_tr.shape, X_va.shape, X_te.shape)


# %%
class Encoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.stage1 = nn.Sequential(nn.Conv2d(1, 12, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2))
        self.stage2 = nn.Sequential(nn.Conv2d(12, 24, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2))
        self.proj = nn.Sequential(nn.Flatten(), nn.Linear(96, 24), nn.ReLU())

    def forward(self, x):
        return self.proj(self.stage2(self.stage1(x)))


encoder = Encoder()


# %% pretext: which of the four rotations?
def rotated(x):
    k = torch.randint(0, 4, (len(x),))
    return torch.stack([torch.rot90(img, int(r), (1, 2)) for img, r in zip(x, k)]), k


pretext = nn.Sequential(encoder, nn.Linear(24, 4))
opt = torch.optim.Adam(pretext.parameters(), lr=2e-3)
for epoch in range(10):
    hits = 0
    for idx in torch.randperm(len(X_tr)).split(64):
        xb, kb = rotated(X_tr[idx])
        out = pretext(xb)
        loss = F.cross_entropy(out, kb)
        opt.zero_grad()
        loss.backward()
        opt.step()
        hits += (out.argmax(1) == kb).sum().item()
print("rotation accuracy (train, last epoch): %.3f" % (hits / len(X_tr)))

# %% stage A: linear probe on the frozen encoder
for p in encoder.parameters():
    p.requires_grad_(False)
model = nn.Sequential(encoder, nn.Linear(24, 10))


def evaluate(m, x, t):
    m.eval()
    with torch.no_grad():
        out = m(x)
    return F.cross_entropy(out, t).item(), (out.argmax(1) == t).float().mean().item()


def fit(m, optimizer, epochs, label):
    for epoch in range(epochs):
        m.train()
        for idx in torch.randperm(len(X_tr)).split(32):
            loss = F.cross_entropy(m(X_tr[idx]), y_tr[idx])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        if epoch % 4 == 3:
            print("%s epoch %d  val loss %.3f  val acc %.3f" % (label, epoch + 1, *evaluate(m, X_va, y_va)))


fit(model, torch.optim.Adam(model[1].parameters(), lr=5e-3), 8, "probe")

# %% stage B: release the encoder and fine-tune everything with a smaller rate on the encoder
for stage in (encoder.stage1, encoder.stage2, encoder.proj):
    stage.requires_grad = True
finetune = torch.optim.Adam(
    [{"params": encoder.parameters(), "lr": 2e-3}, {"params": model[1].parameters(), "lr": 4e-3}]
)
fit(model, finetune, 20, "finetune")

# %%
print("test loss %.3f  test acc %.3f" % evaluate(model, X_te, y_te))
