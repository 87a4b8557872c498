# %% imports
import numpy as np
import torch
from torch import nn
from sklearn.metrics import r2_score
from sklearn.model_selection import train_test_split

SEED = 21
np.random.seed(SEED)
torch.manual_seed(SEED)

# %% forward kinematics of a planar three-link arm with noisy encoders
N = 6000
LINKS = np.array([1.0, 0.8, 0.5])
joints = np.random.uniform(-np.pi, np.pi, size=(N, 3)) * np.array([1.0, 0.8, 0.8])
heading = np.cumsum(joints, axis=1)
xy = np.stack([(LINKS * np.cos(heading)).sum(1), (LINKS * np.sin(heading)).sum(1)], axis=1)
xy = xy + 0.02 * np.random.randn(N, 2)

X = (joints / np.pi).astype(np.float32)
Y = xy.astype(np.float32)
X_tmp, X_test, Y_tmp, Y_test = train_test_split(X, Y, test_size=0.2, random_state=SEED)
X_train, X_val, Y_train, Y_val = train_test_split(X_tmp, Y_tmp, test_size=0.15, random_state=SEED)
X_train, X_val, X_test = map(torch.from_numpy, (X_train, X_val, X_test))
Y_train, Y_val, Y_test = map(torch.from_numpy, (Y_train, Y_val, Y_test))


# %% network
def make_mlp(sizes, n_out):
    layers = []
    for n_in, n_hidden in zip(sizes[:-1], sizes[1:]):
        layers += [nn.Linear(n_in, n_hidden)]
    layers.append(nn.Linear(sizes[-1], n_out))
    return nn.Sequential(*layers)


model = make_mlp([3, 96, 96, 96], 2)
print(model)
print("parameters:", sum(p.numel() for p in model.parameters()))

# %% training
EPOCHS, BATCH = 30, 64
steps = EPOCHS * ((len(X_train) + BATCH - 1) // BATCH)
opt = torch.optim.Adam(model.parameters(), lr=3e-3)
sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, T_max=steps)
loss_fn = nn.MSELoss()

for epoch in range(EPOCHS):
    model.train()
    perm = torch.randperm(len(X_train))
    total = 0.0
    for start in range(0, len(perm), BATCH):
        idx = perm[start:start + BATCH]
        opt.zero_grad()
        loss = loss_fn(model(X_train[idx]), Y_train[idx])
        loss.backward()
        opt.step()
        sched.step()
        total += loss.item() * len(idx)
    if (epoch + 1) % 5 == 0:
        model.eval()
        with torch.no_grad():
            val = loss_fn(model(X_val), Y_val).item()
        print(f"epoch {epoch + 1:3d}  train {total / len(X_train):.5f}  val {val:.5f}")

# %% test
model.eval()
with torch.no_grad():
    pred = model(X_test)
dist = (pred - Y_test).norm(dim=1)
print(f"test R2 {r2_score(Y_test.numpy(), pred.numpy()):.4f}")
print(f"mean end-effector error {dist.mean():.4f} (arm length {LINKS.sum():.1f})")
