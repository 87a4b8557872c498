# %% Product titles -> catalogue category (40 leaf categories)
import numpy as np
import torch
import torch.nn as nn
from sklearn.model_selection import train_test_split

torch.manual_seed(0)
torch.set_num_threads(1)
rng = np.random.default_rng(0)

# %% titles: ten word ids each, drawn from the category's own words, its department's and general ones
N_CAT, N_DEPT, PER_CAT = 40, 8, 220
OWN, DEPT, GENERAL = 25, 40, 200
VOCAB = N_CAT * OWN + N_DEPT * DEPT + GENERAL
LEN = 10

y = np.repeat(np.arange(N_CAT), PER_CAT)
src = rng.choice(3, p=[0.25, 0.30, 0.45], size=(len(y), LEN))
own = y[:, None] * OWN + rng.integers(0, OWN, (len(y), LEN))
dept = N_CAT * OWN + (y[:, None] % N_DEPT) * DEPT + rng.integers(0, DEPT, (len(y), LEN))
gen = N_CAT * OWN + N_DEPT * DEPT + rng.integers(0, GENERAL, (len(y), LEN))
X = np.choose(src, [own, dept, gen])

X_tr, X_rest, y_tr, y_rest = train_test_split(X, y, test_size=0.3, stratify=y, random_state=0)
X_va, X_te, y_va, y_te = train_test_split(X_rest, y_rest, test_size=0.5, stratify=y_rest, random_state=0)
X_tr, X_va, X_te, y_tr, y_va, y_te = map(torch.from_numpy, (X_tr, X_va, X_te, y_tr, y_va, y_te))
print("titles", len(X_tr), len(X_va), len(X_te), "vocab", VOCAB)


# %% model
class TitleNet(nn.Module):
    def __init__(self, vocab, dim, n_cat):
        super().__init__()
        self.emb = nn.EmbeddingBag(vocab, dim, mode="mean")
        nn.init.normal_(self.emb.weight, std=0.1)
        self.norm = nn.LayerNorm(dim)
        self.drop = nn.Dropout(0.5)
        self.fc = nn.Linear(dim, n_cat)

    def forward(self, ids):
        h = self.drop(self.norm(self.emb(ids)))
        return torch.softmax(self.fc(h), dim=1)


net = TitleNet(VOCAB, 48, N_CAT)
criterion = nn.CrossEntropyLoss()
EPOCHS, BS = 14, 64
opt = torch.optim.SGD(net.parameters(), lr=0.02, momentum=0.9, weight_decay=1e-3)
sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, EPOCHS, eta_min=0.001)


# %% helpers
def report(ids, target):
    net.eval()
    with torch.no_grad():
        out = net(ids)
        loss = criterion(out, target).item()
        top1 = (out.argmax(1) == target).float().mean().item()
        top3 = (out.topk(3, dim=1).indices == target[:, None]).any(1).float().mean().item()
    return loss, top1, top3


# %% train
for epoch in range(EPOCHS):
    net.train()
    tot = 0.0
    for idx in torch.randperm(len(X_tr)).split(BS):
        loss = criterion(net(X_tr[idx]), y_tr[idx])
        opt.zero_grad()
        loss.backward()
        opt.step()
        tot += loss.item() * len(idx)
    sched.step()
    l, a, k = report(X_va, y_va)
    print(f"epoch {epoch:2d} | train {tot / len(X_tr):.3f} | val {l:.3f} top1 {a:.3f} top3 {k:.3f}")

# %% final numbers
l, a, k = report(X_te, y_te)
print(f"TEST loss {l:.3f} top1 {a:.3f} top3 {k:.3f}")
