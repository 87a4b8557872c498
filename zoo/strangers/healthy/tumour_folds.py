import logging
import sys

import numpy as np
import torch
from sklearn.datasets import load_breast_cancer
from sklearn.metrics import balanced_accuracy_score, roc_auc_score
from sklearn.model_selection import StratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from torch import nn

logging.basicConfig(stream=sys.stdout, level=logging.INFO, format="%(message)s")
L = logging.getLogger("folds")

K, EPOCHS, BS = 5, 30, 32


def net_and_optim(n_in):
    net = nn.Sequential(nn.Linear(n_in, 16), nn.Tanh(), nn.Linear(16, 1), nn.Flatten(0))
    return net, torch.optim.SGD(net.parameters(), lr=0.05, momentum=0.9, weight_decay=3e-3)


def fit(net, optim, x, y):
    bce = nn.BCEWithLogitsLoss()
    losses = []
    for _ in range(EPOCHS):
        net.train()
        acc = 0.0
        perm = torch.randperm(len(x))
        for part in torch.tensor_split(perm, int(np.ceil(len(x) / BS))):
            loss = bce(net(x[part]), y[part])
            optim.zero_grad()
            loss.backward()
            optim.step()
            acc += float(loss.detach()) * len(part)
        losses.append(acc / len(x))
    return losses


def main():
    X, Y = load_breast_cancer(return_X_y=True)
    out = np.zeros(len(Y))
    for k, (tr, te) in enumerate(StratifiedKFold(K, shuffle=True, random_state=10).split(X, Y)):
        torch.manual_seed(100 + k)
        prep = make_pipeline(StandardScaler()).fit(X[tr])
        xtr = torch.as_tensor(prep.transform(X[tr]), dtype=torch.float32)
        xte = torch.as_tensor(prep.transform(X[te]), dtype=torch.float32)
        ytr = torch.as_tensor(Y[tr], dtype=torch.float32)
        net, optim = net_and_optim(X.shape[1])
        losses = fit(net, optim, xtr, ytr)
        net.eval()
        with torch.inference_mode():
            out[te] = torch.sigmoid(net(xte)).numpy()
        L.info("fold %d  loss %s  held-out balanced accuracy %.4f", k,
               " ".join(f"{v:.3f}" for v in losses[::6] + losses[-1:]), balanced_accuracy_score(Y[te], out[te] > 0.5))
    L.info("pooled out-of-fold: AUC %.4f  balanced accuracy %.4f", roc_auc_score(Y, out), balanced_accuracy_score(Y, out > 0.5))


if __name__ == "__main__":
    main()
