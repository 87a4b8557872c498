# Predict compressive strength of concrete from the mix (simulated lab data).
# Written for the materials group, please keep it simple :)
import logging

import numpy as np
import torch
from sklearn.linear_model import LinearRegression
from sklearn.model_selection import train_test_split

logging.basicConfig(level=logging.INFO, format="%(message)s")
log = logging.getLogger("concrete")

rs = np.random.RandomState(314)
torch.manual_seed(314)

n = 3500
cement = rs.uniform(100, 540, n)        # kg/m3
slag = rs.uniform(0, 350, n)
water = rs.uniform(120, 247, n)
plast = rs.uniform(0, 32, n)
aggr = rs.uniform(800, 1150, n)
age = np.exp(rs.uniform(0, np.log(365), n))  # days

ratio = water / (cement + 0.5 * slag)
strength = 95 * np.exp(-1.1 * ratio) * (0.35 + 0.65 * (1 - np.exp(-age / 25))) + 0.25 * plast
strength = strength - 0.01 * (aggr - 975) + rs.normal(0, 2.0, n)

X = np.column_stack([cement, slag, water, plast, aggr, np.log(age)])
X_tr, X_te, s_tr, s_te = train_test_split(X, strength, test_size=600, random_state=314)
X_tr, X_va, s_tr, s_va = train_test_split(X_tr, s_tr, test_size=400, random_state=314)

mu, sd = X_tr.mean(0), X_tr.std(0)
s_mu, s_sd = s_tr.mean(), s_tr.std()


def as_tensor(a):
    return torch.as_tensor(a, dtype=torch.float32)


A = {k: as_tensor((v - mu) / sd) for k, v in dict(tr=X_tr, va=X_va, te=X_te).items()}
B = {k: as_tensor((v - s_mu) / s_sd) for k, v in dict(tr=s_tr, va=s_va, te=s_te).items()}


class StrengthNet(torch.nn.Module):
    def __init__(self, n_in, width=40):
        super().__init__()
        self.inp = torch.nn.Linear(n_in, width)
        self.mid = torch.nn.Linear(width, width)
        self.outp = torch.nn.Linear(width, 1)

    def forward(self, x):
        h = torch.nn.functional.silu(self.inp(x))
        h = h + torch.nn.functional.silu(self.mid(h))
        return self.outp(h)[:, 0]


net = StrengthNet(X.shape[1])
opt = torch.optim.AdamW(net.parameters(), lr=4e-3, weight_decay=1e-3)
EPOCHS, BS = 60, 100
plateau = torch.optim.lr_scheduler.ReduceLROnPlateau(opt, factor=0.4, patience=5, min_lr=1e-4)

for epoch in range(EPOCHS):
    net.train()
    order = rs.permutation(len(A["tr"]))
    running = 0.0
    for k in range(0, len(order), BS):
        rows = torch.from_numpy(order[k:k + BS])
        opt.zero_grad()
        loss = torch.mean((net(A["tr"][rows]) - B["tr"][rows]) ** 2)
        loss.backward()
        opt.step()
        running += loss.item() * len(rows)
    net.eval()
    with torch.inference_mode():
        val = torch.mean((net(A["va"]) - B["va"]) ** 2).item()
    plateau.step(val)
    if epoch % 6 == 5:
        log.info("epoch %d  train mse %.4f  val mse %.4f  lr %.1e",
                 epoch + 1, running / len(order), val, opt.param_groups[0]["lr"])

net.eval()
with torch.inference_mode():
    pred = net(A["te"]).numpy() * s_sd + s_mu
lin = LinearRegression().fit(X_tr, s_tr).predict(X_te)
log.info("test RMSE  net %.2f MPa   linear %.2f MPa   (sd of strength %.2f)",
         np.sqrt(np.mean((pred - s_te) ** 2)), np.sqrt(np.mean((lin - s_te) ** 2)), s_te.std())
