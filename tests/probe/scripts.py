"""Healthy training scripts, in the ways people write the step: each must be taken out whole."""

HEAD = """
import torch
from torch import nn
from torch.nn import functional as F
torch.manual_seed(5)
X = torch.randn(400, 8)
Y = (X[:, :3].sum(1) > 0).long() + (X[:, 3] > 0.5).long()
net = nn.Sequential(nn.Linear(8, 32), nn.ReLU(), nn.Linear(32, 3))
opt = torch.optim.Adam(net.parameters(), lr=1e-3)
"""

SCRIPTS: dict[str, str] = {
    "loader": HEAD
    + """
from torch.utils.data import DataLoader, TensorDataset
train = DataLoader(TensorDataset(X[:320], Y[:320]), batch_size=32, shuffle=True)
test = DataLoader(TensorDataset(X[320:], Y[320:]), batch_size=80)
criterion = nn.CrossEntropyLoss()
for epoch in range(2):
    for xb, yb in train:
        opt.zero_grad()
        loss = criterion(net(xb), yb)
        loss.backward()
        opt.step()
""",
    "slices": HEAD
    + """
x_train, x_val, y_train, y_val = X[:320], X[320:], Y[:320], Y[320:]
for epoch in range(2):
    for start in range(0, 320, 32):
        out = net(x_train[start:start + 32])
        loss = F.cross_entropy(out, y_train[start:start + 32])
        opt.zero_grad(); loss.backward(); opt.step()
""",
    "randint": HEAD
    + """
X_train, y_train, X_test, y_test = X[:320], Y[:320], X[320:], Y[320:]
for step in range(40):
    rows = torch.randint(0, 320, (32,))
    loss = nn.CrossEntropyLoss()(net(X_train[rows]), y_train[rows])
    opt.zero_grad(); loss.backward(); opt.step()
""",
    "full_batch": HEAD
    + """
for step in range(40):
    loss = F.cross_entropy(net(X), Y)
    opt.zero_grad(); loss.backward(); opt.step()
""",
    "numpy_batches": HEAD
    + """
import numpy as np
xs, ys = X.numpy(), Y.numpy()
for step in range(10):
    pick = np.random.default_rng(step).choice(400, 32, replace=False)
    xb, yb = torch.from_numpy(xs[pick]), torch.as_tensor(ys[pick])
    loss = F.cross_entropy(net(xb), yb)
    opt.zero_grad(); loss.backward(); opt.step()
""",
    "trainer_class": """
from engine import Trainer, Net
import torch
torch.manual_seed(5)
Trainer(Net()).fit(torch.randn(200, 8))
""",
    "two_optimizers": """
import torch
from torch import nn
from torch.nn import functional as F
torch.manual_seed(5)
G = nn.Sequential(nn.Linear(4, 32), nn.ReLU(), nn.Linear(32, 2))
D = nn.Sequential(nn.Linear(2, 32), nn.LeakyReLU(0.2), nn.Linear(32, 1))
opt_d = torch.optim.Adam(D.parameters(), 2e-4)
opt_g = torch.optim.Adam(G.parameters(), 2e-4)
real = torch.randn(256, 2) * 0.5 + 1
for step in range(5):
    xb = real[torch.randint(0, 256, (64,))]
    fake = G(torch.randn(64, 4))
    loss_d = F.binary_cross_entropy_with_logits(D(xb), torch.ones(64, 1)) + \\
        F.binary_cross_entropy_with_logits(D(fake.detach()), torch.zeros(64, 1))
    opt_d.zero_grad(); loss_d.backward(); opt_d.step()
    loss_g = F.binary_cross_entropy_with_logits(D(fake), torch.ones(64, 1))
    opt_g.zero_grad(); loss_g.backward(); opt_g.step()
""",
    "autocast_scaler": HEAD
    + """
scaler = torch.amp.GradScaler("cpu", init_scale=1024.0)
for step in range(5):
    rows = torch.randperm(400)[:64]
    opt.zero_grad()
    with torch.autocast("cpu", dtype=torch.bfloat16):
        loss = F.cross_entropy(net(X[rows]), Y[rows])
    scaler.scale(loss).backward()
    scaler.unscale_(opt)
    torch.nn.utils.clip_grad_norm_(net.parameters(), 1.0)
    scaler.step(opt); scaler.update()
""",
    "lbfgs": HEAD
    + """
opt = torch.optim.LBFGS(net.parameters(), lr=0.5)
def closure():
    opt.zero_grad()
    loss = F.cross_entropy(net(X), Y)
    loss.backward()
    return loss
for step in range(3):
    opt.step(closure)
""",
    "accumulation": HEAD
    + """
from torch.utils.data import DataLoader, TensorDataset
train = DataLoader(TensorDataset(X, Y), batch_size=16, shuffle=True)
for i, (xb, yb) in enumerate(train):
    loss = F.cross_entropy(net(xb), yb) / 4
    loss.backward()
    if (i + 1) % 4 == 0:
        opt.step(); opt.zero_grad()
""",
    "compiled": HEAD
    + """
fast = torch.compile(net, backend="eager")
for step in range(5):
    rows = torch.randperm(400)[:64]
    loss = F.cross_entropy(fast(X[rows]), Y[rows])
    opt.zero_grad(); loss.backward(); opt.step()
""",
    "hand_written_loss": HEAD
    + """
def nll(scores, target):
    logp = scores - scores.logsumexp(1, keepdim=True)
    return -logp[torch.arange(len(target)), target].mean()
for step in range(5):
    rows = torch.randperm(400)[:64]
    loss = nll(net(X[rows]), Y[rows]) + 1e-4 * sum(p.pow(2).sum() for p in net.parameters())
    opt.zero_grad(); loss.backward(); opt.step()
""",
    "hand_written_weights": """
import torch
torch.manual_seed(5)
X = torch.randn(300, 6)
y = X @ torch.randn(6) + 0.1 * torch.randn(300)
w, b = torch.zeros(6, requires_grad=True), torch.zeros(1, requires_grad=True)
for step in range(20):
    loss = ((X @ w + b - y) ** 2).mean()
    loss.backward()
    with torch.no_grad():
        w -= 0.1 * w.grad; b -= 0.1 * b.grad
        w.grad.zero_(); b.grad.zero_()
""",
    "physics": """
import torch
from torch import nn
torch.manual_seed(5)
u = nn.Sequential(nn.Linear(1, 24), nn.Tanh(), nn.Linear(24, 24), nn.Tanh(), nn.Linear(24, 1))
t = torch.linspace(0, 1, 40)[:, None].requires_grad_(True)
opt = torch.optim.Adam(u.parameters(), 1e-3)
for step in range(10):
    out = u(t)
    (du,) = torch.autograd.grad(out, t, torch.ones_like(out), create_graph=True)
    loss = ((du + 2 * out) ** 2).mean() + (u(torch.zeros(1, 1)) - 1).pow(2).mean()
    opt.zero_grad(); loss.backward(); opt.step()
""",
    "dict_batches": HEAD
    + """
from torch.utils.data import DataLoader, Dataset
class Rows(Dataset):
    def __len__(self): return 320
    def __getitem__(self, i): return {"x": X[i], "y": Y[i], "id": i}
for batch in DataLoader(Rows(), batch_size=32, shuffle=True):
    batch = {k: v.to("cpu") for k, v in batch.items()}
    loss = F.cross_entropy(net(batch["x"]), batch["y"])
    opt.zero_grad(); loss.backward(); opt.step()
""",
    "augmented_and_normalised": HEAD
    + """
from torch.utils.data import DataLoader, TensorDataset
mean, std = X.mean(0), X.std(0)
for xb, yb in DataLoader(TensorDataset(X, Y), batch_size=32, shuffle=True):
    xb = (xb - mean) / std
    xb = xb + 0.1 * torch.randn_like(xb)
    loss = F.cross_entropy(net(xb), yb, label_smoothing=0.1)
    opt.zero_grad(set_to_none=True); loss.backward(); opt.step()
""",
    "language_windows": """
import torch
from torch import nn
from torch.nn import functional as F
torch.manual_seed(5)
text = torch.randint(0, 30, (2000,))
class Lm(nn.Module):
    def __init__(self):
        super().__init__()
        self.e, self.r, self.h = nn.Embedding(30, 16), nn.GRU(16, 32, batch_first=True), nn.Linear(32, 30)
    def forward(self, ids, targets=None):
        logits = self.h(self.r(self.e(ids))[0])
        return logits, F.cross_entropy(logits.view(-1, 30), targets.view(-1))
model = Lm()
opt = torch.optim.AdamW(model.parameters(), 1e-3)
def get_batch():
    at = torch.randint(len(text) - 17, (12,))
    x = torch.stack([text[i:i + 16] for i in at])
    y = torch.stack([text[i + 1:i + 17] for i in at])
    return x, y
for step in range(10):
    xb, yb = get_batch()
    logits, loss = model(xb, yb)
    opt.zero_grad(set_to_none=True); loss.backward(); opt.step()
""",
    "distilled": HEAD
    + """
teacher = nn.Sequential(nn.Linear(8, 64), nn.ReLU(), nn.Linear(64, 3)).eval()
for p in teacher.parameters(): p.requires_grad_(False)
for step in range(5):
    rows = torch.randperm(400)[:64]
    xb, yb = X[rows], Y[rows]
    out = net(xb)
    with torch.no_grad():
        told = teacher(xb)
    soft = F.kl_div(F.log_softmax(out / 2, 1), F.softmax(told / 2, 1), reduction="batchmean") * 4
    loss = 0.5 * F.cross_entropy(out, yb) + 0.5 * soft
    opt.zero_grad(); loss.backward(); opt.step()
""",
    "generator_against_a_frozen_critic": """
import torch
from torch import nn
torch.manual_seed(5)
G = nn.Sequential(nn.Linear(4, 32), nn.ReLU(), nn.Linear(32, 2))
D = nn.Sequential(nn.Linear(2, 32), nn.LeakyReLU(0.2), nn.Linear(32, 1))
D.requires_grad_(False)
opt = torch.optim.Adam(G.parameters(), 2e-4)
for step in range(5):
    loss = -D(G(torch.randn(64, 4))).mean()
    opt.zero_grad(); loss.backward(); opt.step()
""",
}

ENGINE = """
import torch
from torch import nn
from torch.nn import functional as F
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.encode, self.decode = nn.Linear(8, 16), nn.Linear(16, 8)
    def forward(self, x):
        return self.decode(F.relu(self.encode(x)))
class Trainer:
    def __init__(self, model):
        self.model, self.opt = model, torch.optim.Adam(model.parameters())
    def fit(self, data):
        rows = torch.utils.data.TensorDataset(data)
        loader = torch.utils.data.DataLoader(rows, batch_size=25, shuffle=True)
        for (batch,) in loader:
            self.step(batch)
    def step(self, batch):
        self.opt.zero_grad()
        loss = F.mse_loss(self.model(batch), batch)
        loss.backward()
        self.opt.step()
"""

# Broken ones: the cause a probe shall name, and the script.
BROKEN: dict[str, tuple[str, str]] = {
    "softmax_in_the_loop": (
        "double-softmax",
        HEAD
        + """
for step in range(20):
    rows = torch.randint(0, 400, (32,))
    probs = torch.softmax(net(X[rows]), dim=1)
    loss = F.cross_entropy(probs, Y[rows])
    opt.zero_grad(); loss.backward(); opt.step()
""",
    ),
    "regression_shapes": (
        "loss-broadcast",
        HEAD
        + """
net = nn.Sequential(nn.Linear(8, 32), nn.ReLU(), nn.Linear(32, 1))
opt = torch.optim.Adam(net.parameters())
target = X[:, 0] * 2 + X[:, 1]
for epoch in range(3):
    for i in range(0, 400, 50):
        out = net(X[i:i + 50])
        loss = ((out - target[i:i + 50]) ** 2).mean()
        opt.zero_grad(); loss.backward(); opt.step()
""",
    ),
    "two_parts_one_optimizer": (
        "params-not-in-optimizer",
        HEAD
        + """
body, head = nn.Sequential(nn.Linear(8, 32), nn.ReLU()), nn.Linear(32, 3)
opt = torch.optim.SGD(body.parameters(), lr=0.1)
for epoch in range(3):
    loss = F.cross_entropy(head(body(X)), Y)
    opt.zero_grad(); loss.backward(); opt.step()
""",
    ),
    "amp_with_large_inputs": (
        "inputs-unnormalized",
        HEAD
        + """
X = X * 3000 + 500
scaler = torch.amp.GradScaler("cpu")
for step in range(5):
    rows = torch.randperm(400)[:64]
    opt.zero_grad()
    with torch.autocast("cpu", dtype=torch.bfloat16):
        loss = F.cross_entropy(net(X[rows]), Y[rows])
    scaler.scale(loss).backward()
    scaler.step(opt); scaler.update()
""",
    ),
    "compiled_without_activations": (
        "missing-nonlinearity",
        HEAD
        + """
net = nn.Sequential(nn.Linear(8, 64), nn.Linear(64, 64), nn.Linear(64, 3))
opt = torch.optim.Adam(net.parameters())
fast = torch.compile(net, backend="eager")
for step in range(5):
    rows = torch.randperm(400)[:64]
    loss = F.cross_entropy(fast(X[rows]), Y[rows])
    opt.zero_grad(); loss.backward(); opt.step()
""",
    ),
    "accumulated_sum": (
        "wrong-reduction",
        HEAD
        + """
opt = torch.optim.SGD(net.parameters(), lr=0.05)
from torch.utils.data import DataLoader, TensorDataset
for i, (xb, yb) in enumerate(DataLoader(TensorDataset(X, Y), batch_size=64, shuffle=True)):
    loss = F.cross_entropy(net(xb), yb, reduction="sum")
    loss.backward()
    if i % 2 == 1:
        opt.step(); opt.zero_grad()
""",
    ),
    "generator_not_detached": (
        "missing-detach",
        """
import torch
from torch import nn
from torch.nn import functional as F
torch.manual_seed(5)
G = nn.Sequential(nn.Linear(4, 32), nn.ReLU(), nn.Linear(32, 2))
D = nn.Sequential(nn.Linear(2, 32), nn.LeakyReLU(0.2), nn.Linear(32, 1))
opt_d, opt_g = torch.optim.Adam(D.parameters(), 2e-4), torch.optim.Adam(G.parameters(), 2e-4)
bce = nn.BCEWithLogitsLoss()
for step in range(5):
    real = torch.randn(64, 2)
    fake = G(torch.randn(64, 4))
    loss_d = bce(D(real), torch.ones(64, 1)) + bce(D(fake), torch.zeros(64, 1))
    opt_d.zero_grad(); loss_d.backward(); opt_d.step()
    loss_g = bce(D(G(torch.randn(64, 4))), torch.ones(64, 1))
    opt_g.zero_grad(); loss_g.backward(); opt_g.step()
""",
    ),
    "nanogpt_without_mask": (
        "causal-leak",
        """
import torch
from torch import nn
from torch.nn import functional as F
torch.manual_seed(5)
text = torch.randint(0, 30, (2000,))
class Lm(nn.Module):
    def __init__(self):
        super().__init__()
        self.e, self.p, self.h = nn.Embedding(30, 16), nn.Embedding(32, 16), nn.Linear(16, 30)
        self.a = nn.MultiheadAttention(16, 2, batch_first=True)
    def forward(self, ids, targets=None):
        x = self.e(ids) + self.p(torch.arange(ids.shape[1]))
        logits = self.h(x + self.a(x, x, x, need_weights=False)[0])
        return logits, F.cross_entropy(logits.view(-1, 30), targets.view(-1))
model = Lm()
opt = torch.optim.AdamW(model.parameters(), 1e-3)
for step in range(10):
    at = torch.randint(len(text) - 17, (12,))
    xb = torch.stack([text[i:i + 16] for i in at])
    yb = torch.stack([text[i + 1:i + 17] for i in at])
    logits, loss = model(xb, yb)
    opt.zero_grad(set_to_none=True); loss.backward(); opt.step()
""",
    ),
    "test_rows_in_training": (
        "split-overlap",
        HEAD
        + """
x_train, y_train = X, Y
x_test, y_test = X[300:], Y[300:]
for step in range(20):
    rows = torch.randint(0, 400, (64,))
    loss = F.cross_entropy(net(x_train[rows]), y_train[rows])
    opt.zero_grad(); loss.backward(); opt.step()
""",
    ),
    "lbfgs_through_numpy": (
        "detached-graph",
        HEAD
        + """
opt = torch.optim.LBFGS(net.parameters(), lr=0.5)
class Cut(nn.Module):
    def __init__(self):
        super().__init__()
        self.one, self.two = nn.Linear(8, 32), nn.Linear(32, 3)
    def forward(self, x):
        return self.two(torch.from_numpy(self.one(x).relu().detach().numpy()))
net = Cut()
opt = torch.optim.LBFGS(net.parameters(), lr=0.5)
def closure():
    opt.zero_grad()
    loss = F.cross_entropy(net(X), Y)
    loss.backward()
    return loss
opt.step(closure)
""",
    ),
    "scaled_before_the_split": (
        "fit-on-all-data",
        HEAD
        + """
import numpy as np
from sklearn.decomposition import PCA
from sklearn.model_selection import train_test_split
Z = PCA(4).fit_transform(X.numpy()).astype(np.float32)
a, b, c, d = train_test_split(Z, Y.numpy(), random_state=0)
a, c = torch.from_numpy(a), torch.from_numpy(c)
net = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 3))
opt = torch.optim.Adam(net.parameters())
for step in range(20):
    loss = F.cross_entropy(net(a), c)
    opt.zero_grad(); loss.backward(); opt.step()
""",
    ),
}
