"""Weld-defect alarm. The decision is the sign of the logit (p > 1/2)."""
import logging

import numpy as np
import torch
from sklearn.compose import ColumnTransformer
from sklearn.metrics import average_precision_score, f1_score
from sklearn.model_selection import train_test_split
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import FunctionTransformer, OneHotEncoder, StandardScaler

logging.basicConfig(level=logging.INFO, format="%(levelname).1s %(message)s")
log = logging.getLogger()


def weld_records(n=6000, seed=12):
    rng = np.random.default_rng(seed)
    current = rng.lognormal(5.0, 0.3, n)
    speed = rng.gamma(9, 0.8, n)
    gas = rng.normal(14, 2, n)
    line = rng.integers(0, 5, n)
    heat = np.log(current) - 0.6 * np.log(speed)
    z = -5.2 + 9 * np.abs(heat - 3.85) - 0.8 * (gas - 14) + np.array([0, .6, -.4, 1.0, -.8])[line]
    y = (rng.random(n) < 1 / (1 + np.exp(-2.5 * z))).astype(np.float32)
    return np.column_stack([current, speed, gas, line]), y


def preprocessor():
    logged = Pipeline([("log", FunctionTransformer(np.log)), ("scale", StandardScaler())])
    return ColumnTransformer([("log", logged, [0, 1]), ("num", StandardScaler(), [2]),
                              ("line", OneHotEncoder(sparse_output=False), [3])])


def fit(x, y, epochs=20, batch=128, seed=12):
    torch.manual_seed(seed)
    net = torch.nn.Sequential(torch.nn.Linear(x.shape[1], 48), torch.nn.Tanh(),
                              torch.nn.Linear(48, 24), torch.nn.Tanh(), torch.nn.Linear(24, 1))
    # start at the base rate so the first steps are not spent on the bias
    rate = y.mean()
    torch.nn.init.constant_(net[-1].bias, torch.log(rate / (1 - rate)).item())
    opt = torch.optim.AdamW(net.parameters(), lr=4e-3, weight_decay=1e-2)
    sched = torch.optim.lr_scheduler.OneCycleLR(opt, 4e-3, epochs=epochs, steps_per_epoch=-(-len(x) // batch))
    for epoch in range(epochs):
        net.train()
        total = 0.0
        for idx in torch.randperm(len(x)).split(batch):
            loss = torch.nn.functional.binary_cross_entropy_with_logits(net(x[idx])[:, 0], y[idx])
            opt.zero_grad(set_to_none=True)
            loss.backward()
            opt.step()
            sched.step()
            total += loss.item() * len(idx)
        if (epoch + 1) % 5 == 0:
            log.info("epoch %d log-loss %.4f", epoch + 1, total / len(x))
    return net.eval()


@torch.inference_mode()
def decide(net, x):
    logit = net(x)[:, 0]
    return (logit > 0).numpy(), logit.numpy()


def main():
    raw, y = weld_records()
    raw_tr, raw_te, y_tr, y_te = train_test_split(raw, y, test_size=0.25, stratify=y, random_state=12)
    prep = preprocessor().fit(raw_tr)
    x_tr, x_te = (torch.tensor(prep.transform(r), dtype=torch.float32) for r in (raw_tr, raw_te))
    log.info("defect rate %.3f", y_tr.mean())
    net = fit(x_tr, torch.from_numpy(y_tr))
    alarm, logit = decide(net, x_te)
    log.info("hold-out F1 %.3f  average precision %.3f  accuracy %.3f", f1_score(y_te, alarm),
             average_precision_score(y_te, logit), (alarm == y_te).mean())


if __name__ == "__main__":
    main()
