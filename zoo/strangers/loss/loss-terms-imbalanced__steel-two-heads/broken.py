# Rolled steel coils: one network, two answers.
#   - tensile strength of the coil (MPa)
#   - surface grade given by the inspector (A / B / C)
from dataclasses import dataclass

import numpy as np
import pandas as pd
import torch
from torch import nn
import torch.nn.functional as F


@dataclass
class Config:
    n_coils: int = 9000
    epochs: int = 30
    batch: int = 128
    lr: float = 2e-3
    hidden: int = 48
    trunk_out: int = 6
    seed: int = 11


PROCESS = ["carbon", "manganese", "silicon", "finish_temp", "coil_temp", "speed", "tension", "oil_flow", "roll_age", "humidity"]


def make_coils(n, seed):
    rng = np.random.default_rng(seed)
    df = pd.DataFrame({
        "carbon": rng.normal(0.12, 0.03, n),
        "manganese": rng.normal(0.9, 0.2, n),
        "silicon": rng.normal(0.25, 0.06, n),
        "finish_temp": rng.normal(880, 22, n),
        "coil_temp": rng.normal(610, 30, n),
        "speed": rng.normal(11, 2, n),
        "tension": rng.normal(45, 7, n),
        "oil_flow": rng.normal(3.2, 0.6, n),
        "roll_age": rng.uniform(0, 72, n),
        "humidity": rng.uniform(20, 80, n),
    })
    z = (df - df.mean()) / df.std()
    df["strength"] = (430 + 38 * z.carbon + 30 * z.manganese + 12 * z.silicon * z.carbon
                      - 26 * z.coil_temp - 14 * z.finish_temp ** 2 + rng.normal(0, 12, n))
    defects = (np.sin(1.6 * z.speed) * z.oil_flow + 0.9 * z.tension * z.roll_age + 0.5 * z.humidity
               + rng.normal(0, 0.2, n))
    df["grade"] = pd.qcut(defects, 3, labels=False)
    return df


class CoilNet(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        self.trunk = nn.Sequential(
            nn.Linear(len(PROCESS), cfg.hidden), nn.ReLU(),
            nn.Linear(cfg.hidden, cfg.hidden), nn.ReLU(),
            nn.Linear(cfg.hidden, cfg.trunk_out), nn.Tanh(),
        )
        self.strength = nn.Linear(cfg.trunk_out, 1)
        self.grade = nn.Linear(cfg.trunk_out, 3)

    def forward(self, x):
        h = self.trunk(x)
        return self.strength(h).squeeze(-1), self.grade(h)


cfg = Config()
torch.manual_seed(cfg.seed)
torch.set_num_threads(1)

df = make_coils(cfg.n_coils, cfg.seed).sample(frac=1.0, random_state=cfg.seed).reset_index(drop=True)
train, val, test = df.iloc[:6500], df.iloc[6500:7700], df.iloc[7700:]
x_mean, x_std = train[PROCESS].mean(), train[PROCESS].std()
s_mean, s_std = float(train.strength.mean()), float(train.strength.std())


def tensors(part):
    x = torch.tensor(((part[PROCESS] - x_mean) / x_std).to_numpy(), dtype=torch.float32)
    s = torch.tensor(((part.strength - s_mean) / s_std).to_numpy(), dtype=torch.float32)
    g = torch.tensor(part.grade.to_numpy(), dtype=torch.long)
    return x, s, g


def losses(net, x, s, g):
    s_hat, g_hat = net(x)
    strength_loss = F.mse_loss(s_hat * s_std, s * s_std)
    grade_loss = F.cross_entropy(g_hat, g)
    return strength_loss, grade_loss


@torch.no_grad()
def score(net, data):
    net.eval()
    x, s, g = data
    s_hat, g_hat = net(x)
    mae = ((s_hat - s) * s_std).abs().mean().item()
    acc = (g_hat.argmax(1) == g).float().mean().item()
    return mae, acc


tr, va, te = tensors(train), tensors(val), tensors(test)
net = CoilNet(cfg)
opt = torch.optim.Adam(net.parameters(), lr=cfg.lr)
sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, cfg.epochs)
gen = torch.Generator().manual_seed(cfg.seed)

for epoch in range(cfg.epochs):
    net.train()
    log = []
    for idx in torch.randperm(len(tr[0]), generator=gen).split(cfg.batch):
        strength_loss, grade_loss = losses(net, *(t[idx] for t in tr))
        loss = strength_loss + grade_loss
        opt.zero_grad()
        loss.backward()
        opt.step()
        log.append((len(idx), loss.item()))
    sched.step()
    w = np.array(log)
    mae, acc = score(net, va)
    if epoch % 3 == 0 or epoch == cfg.epochs - 1:
        print(f"[{epoch:02d}] loss {np.average(w[:, 1], weights=w[:, 0]):9.4f} | val strength MAE {mae:6.2f} MPa | val grade acc {acc:.3f}")

mae, acc = score(net, te)
print(f"TEST  strength MAE {mae:.2f} MPa   grade acc {acc:.3f}   (majority {test.grade.value_counts(normalize=True).max():.3f})")
