"""Day-ahead load curve: given the last 48 hours predict the next 24. Conv1d net, plain SGD."""
# %%
import numpy as np
import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset

SEED = 99
np.random.seed(SEED)
torch.manual_seed(SEED)
torch.set_num_threads(1)

# %% synthetic year
H = np.arange(24 * 260)
temp = 4 * np.sin(2 * np.pi * H / (24 * 365)) + np.cumsum(np.random.normal(0, 0.02, len(H)))
load = (
    50
    + 12 * np.sin(2 * np.pi * (H - 7) / 24)
    + 5 * np.sin(4 * np.pi * H / 24)
    + 2 * ((H // 24) % 7 < 5)
    - 0.4 * temp
    + np.random.normal(0, 1.5, len(H))
)
n_train = 24 * 200
mu, sd = load[:n_train].mean(), load[:n_train].std()
z = ((load - mu) / sd).astype("float32")

PAST, AHEAD = 48, 24


def cut_windows(a, step):
    xs, ys = [], []
    for s in range(0, len(a) - PAST - AHEAD + 1, step):
        xs.append(a[s : s + PAST])
        ys.append(a[s + PAST : s + PAST + AHEAD])
    return torch.tensor(np.stack(xs)).unsqueeze(1), torch.tensor(np.stack(ys))


Xtr, Ytr = cut_windows(z[:n_train], 3)
Xva, Yva = cut_windows(z[n_train:], 6)
print("train windows", tuple(Xtr.shape), "val windows", tuple(Xva.shape))
dl = DataLoader(TensorDataset(Xtr, Ytr), batch_size=32, shuffle=True)

# %% model
net = nn.Sequential(
    nn.Conv1d(1, 16, 5, padding=2), nn.ReLU(),
    nn.Conv1d(16, 16, 5, stride=2, padding=2), nn.ReLU(),
    nn.Flatten(),
    nn.Linear(16 * 24, 64), nn.ReLU(),
    nn.Linear(64, AHEAD),
)
EPOCHS = 20
loss_fn = nn.SmoothL1Loss(reduction="sum")
opt = torch.optim.SGD(net.parameters(), lr=0.03, momentum=0.9)
sched = torch.optim.lr_scheduler.StepLR(opt, step_size=8, gamma=0.3)

# %% training
for epoch in range(1, EPOCHS + 1):
    net.train()
    losses = []
    for xb, yb in dl:
        opt.zero_grad()
        loss = loss_fn(net(xb), yb)
        loss.backward()
        opt.step()
        losses.append(loss.item())
    sched.step()
    net.eval()
    with torch.no_grad():
        mae = (net(Xva) - Yva).abs().mean().item() * sd
    print(f"epoch {epoch:02d} train loss {np.mean(losses):.4f}  val MAE {mae:.3f} MW")

naive = (Xva[:, 0, -24:] - Yva).abs().mean().item() * sd
print(f"same-hour-yesterday baseline MAE {naive:.3f} MW")
