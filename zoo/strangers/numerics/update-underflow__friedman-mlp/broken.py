# Friedman-style tabular regression, single MLP, plain SGD. Usage: python train.py
import numpy as np
import torch
from sklearn.datasets import make_friedman1
from sklearn.metrics import r2_score
from sklearn.model_selection import train_test_split

SEED = 7
DTYPE = torch.bfloat16
N_EPOCHS = 40
BATCH = 50
LR = 0.01

np.random.seed(SEED)
torch.manual_seed(SEED)

# ---------------------------------------------------------------- data
X, y = make_friedman1(n_samples=3000, n_features=10, noise=0.5, random_state=SEED)
X_dev, X_test, y_dev, y_test = train_test_split(X, y, test_size=600, random_state=SEED)
X_train, X_valid, y_train, y_valid = train_test_split(X_dev, y_dev, test_size=400, random_state=SEED)

x_mean, x_std = X_train.mean(0), X_train.std(0)
y_mean, y_std = y_train.mean(), y_train.std()


def to_x(a):
    return torch.tensor((a - x_mean) / x_std, dtype=DTYPE)


def to_y(a):
    return torch.tensor((a - y_mean) / y_std, dtype=DTYPE).unsqueeze(1)


xt, yt = to_x(X_train), to_y(y_train)
xv, xs = to_x(X_valid), to_x(X_test)

# ---------------------------------------------------------------- model
net = torch.nn.Sequential(
    torch.nn.Linear(10, 64),
    torch.nn.SiLU(),
    torch.nn.Linear(64, 64),
    torch.nn.SiLU(),
    torch.nn.Linear(64, 1),
).to(DTYPE)
opt = torch.optim.SGD(net.parameters(), lr=LR, momentum=0.9, nesterov=True)
decay = torch.optim.lr_scheduler.CosineAnnealingLR(opt, T_max=N_EPOCHS, eta_min=1e-4)


def r2(x, target):
    net.eval()
    with torch.no_grad():
        pred = net(x).float().squeeze(1).numpy() * y_std + y_mean
    return r2_score(target, pred)


# ---------------------------------------------------------------- training
for epoch in range(N_EPOCHS):
    net.train()
    perm = torch.randperm(len(xt))
    losses = []
    for i in range(0, len(xt), BATCH):
        rows = perm[i:i + BATCH]
        loss = torch.nn.functional.mse_loss(net(xt[rows]).float(), yt[rows].float())
        opt.zero_grad()
        loss.backward()
        opt.step()
        losses.append(loss.item())
    decay.step()
    if epoch % 5 == 4:
        print(f"epoch {epoch + 1:3d} | mse {np.mean(losses):.4f} | valid R2 {r2(xv, y_valid):.4f}")

print(f"test R2 {r2(xs, y_test):.4f}")
