# ## Cells under the microscope: which stain, and how many?
# Two answers from one small CNN. The count is read off a distribution over 1..6.
import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F

SEED = 77
np.random.seed(SEED)
torch.manual_seed(SEED)

SIZE, MAX_N = 20, 6
KINDS = ['disc', 'ring', 'cross']


def draw(kind, n):
    img = np.zeros((SIZE, SIZE), np.float32)
    cells = np.random.choice(16, n, replace=False)
    yy, xx = np.mgrid[:SIZE, :SIZE]
    for c in cells:
        cy = 2 + 5 * (c // 4) + np.random.randint(0, 2)
        cx = 2 + 5 * (c % 4) + np.random.randint(0, 2)
        d = np.maximum(abs(yy - cy), abs(xx - cx))
        if kind == 0:
            img[d <= 1] = 1
        elif kind == 1:
            img[d == 1] = 1
        else:
            img[(d <= 1) & ((yy == cy) | (xx == cx))] = 1
    return img * np.random.uniform(0.7, 1.0) + np.random.normal(0, 0.12, img.shape)


def make(n_images):
    kind = np.random.randint(0, len(KINDS), n_images)
    count = np.random.randint(1, MAX_N + 1, n_images)
    x = np.stack([draw(k, c) for k, c in zip(kind, count)]).astype(np.float32)
    return torch.tensor(x)[:, None], torch.tensor(kind), torch.tensor(count, dtype=torch.float32)


X_tr, K_tr, N_tr = make(2400)
X_va, K_va, N_va = make(400)
X_te, K_te, N_te = make(600)
mu, sd = X_tr.mean(), X_tr.std()
X_tr, X_va, X_te = [(x - mu) / sd for x in (X_tr, X_va, X_te)]
print('train', tuple(X_tr.shape), 'val', tuple(X_va.shape), 'test', tuple(X_te.shape))


class CellNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.cnn = nn.Sequential(
            nn.Conv2d(1, 16, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2),
            nn.Conv2d(16, 24, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2),
            nn.Flatten(),
            nn.Linear(24 * 25, 64), nn.ReLU(),
        )
        self.kind = nn.Linear(64, len(KINDS))
        self.count = nn.Sequential(nn.Linear(64, 32), nn.ReLU(), nn.Linear(32, MAX_N))

    def forward(self, x):
        h = self.cnn(x)
        return self.kind(h), self.count(h)


values = torch.arange(1, MAX_N + 1).float()


def expected_count(logits):
    return (logits.softmax(1) * values).sum(1)


def criterion(kind_logits, count_logits, kind, count):
    l_kind = F.cross_entropy(kind_logits, kind)
    n_hat = count_logits.argmax(1).float() + 1
    l_count = F.smooth_l1_loss(n_hat, count)
    return l_kind + l_count, l_kind, l_count


def score(net, X, K, N):
    net.eval()
    with torch.no_grad():
        a, b = net(X)
        return (a.argmax(1) == K).float().mean().item(), (expected_count(b) - N).abs().mean().item()


net = CellNet()
opt = torch.optim.AdamW(net.parameters(), lr=2e-3, weight_decay=1e-2)
EPOCHS, BS = 14, 64
sched = torch.optim.lr_scheduler.OneCycleLR(opt, max_lr=3e-3, total_steps=EPOCHS * (len(X_tr) // BS))

for ep in range(1, EPOCHS + 1):
    net.train()
    perm = torch.randperm(len(X_tr))
    logs = []
    for i in range(len(X_tr) // BS):
        b = perm[i * BS:(i + 1) * BS]
        loss, lk, ln = criterion(*net(X_tr[b]), K_tr[b], N_tr[b])
        opt.zero_grad()
        loss.backward()
        opt.step()
        sched.step()
        logs.append([loss.item(), lk.item(), ln.item()])
    acc, mae = score(net, X_va, K_va, N_va)
    m = np.mean(logs, axis=0)
    print(f'ep {ep:2d} loss {m[0]:.4f} (kind {m[1]:.4f} count {m[2]:.4f})  val acc {acc:.3f} val count mae {mae:.3f}')

acc, mae = score(net, X_te, K_te, N_te)
base = (N_te - N_tr.median()).abs().mean().item()
print(f'TEST stain accuracy {acc:.3f}   count MAE {mae:.3f}  (always the median: {base:.3f})')
