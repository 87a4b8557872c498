"""Responder prediction from expression profiles with a small gene panel.

Stratified 5-fold estimate of the AUC of a panel classifier (torch MLP with dropout).
"""
import argparse
from typing import NamedTuple

import numpy as np
import torch
import torch.nn.functional as F
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import StratifiedKFold


class Cohort(NamedTuple):
    expr: np.ndarray      # patients x genes, log2 expression
    response: np.ndarray  # 0 / 1


def parse_args():
    p = argparse.ArgumentParser(description=__doc__)
    p.add_argument("--patients", type=int, default=240)
    p.add_argument("--genes", type=int, default=5000)
    p.add_argument("--panel-size", type=int, default=40)
    p.add_argument("--folds", type=int, default=5)
    p.add_argument("--epochs", type=int, default=40)
    p.add_argument("--lr", type=float, default=3e-3)
    p.add_argument("--weight-decay", type=float, default=0.05)
    p.add_argument("--seed", type=int, default=11)
    return p.parse_args()


def simulate_cohort(args) -> Cohort:
    rng = np.random.default_rng(args.seed)
    y = (np.arange(args.patients) % 2).astype(np.int64)
    rng.shuffle(y)
    expr = rng.normal(8.0, 1.0, (args.patients, args.genes))
    batch_effect = rng.normal(0, 0.3, (3, args.genes))
    expr += batch_effect[rng.integers(0, 3, args.patients)]
    pathway = rng.choice(args.genes, 20, replace=False)
    expr[:, pathway] += 0.3 * (2 * y[:, None] - 1) * rng.choice([-1, 1], 20)
    return Cohort(expr.astype(np.float32), y)


def welch_t(a, b):
    va, vb = a.var(0, ddof=1) / len(a), b.var(0, ddof=1) / len(b)
    return (a.mean(0) - b.mean(0)) / np.sqrt(va + vb)


def choose_panel(expr, response, size):
    """Indices of the genes that separate responders from non-responders best."""
    t = welch_t(expr[response == 1], expr[response == 0])
    return np.argsort(-np.abs(t))[:size]


class PanelNet(torch.nn.Module):
    def __init__(self, n_in, hidden=16, p=0.3):
        super().__init__()
        self.inp = torch.nn.Linear(n_in, hidden)
        self.out = torch.nn.Linear(hidden, 1)
        self.p = p

    def forward(self, x):
        h = F.dropout(F.gelu(self.inp(x)), self.p, training=self.training)
        return self.out(h).squeeze(-1)


def standardise(train, other):
    m, s = train.mean(0), train.std(0) + 1e-6
    return (train - m) / s, (other - m) / s


def train_panel_net(x, y, args):
    model = PanelNet(x.shape[1])
    optim = torch.optim.AdamW(model.parameters(), lr=args.lr, weight_decay=args.weight_decay)
    x, y = torch.from_numpy(x), torch.from_numpy(y).float()
    model.train()
    for _ in range(args.epochs):
        for idx in torch.randperm(len(x)).split(32):
            optim.zero_grad()
            F.binary_cross_entropy_with_logits(model(x[idx]), y[idx]).backward()
            optim.step()
    return model


@torch.no_grad()
def score(model, x):
    model.eval()
    return torch.sigmoid(model(torch.from_numpy(x))).numpy()


def cross_validate(cohort: Cohort, args):
    skf = StratifiedKFold(args.folds, shuffle=True, random_state=args.seed)
    aucs = []
    panel = choose_panel(cohort.expr, cohort.response, args.panel_size)
    for k, (tr, te) in enumerate(skf.split(cohort.expr, cohort.response)):
        x_tr, x_te = standardise(cohort.expr[tr][:, panel], cohort.expr[te][:, panel])
        model = train_panel_net(x_tr, cohort.response[tr], args)
        aucs.append(roc_auc_score(cohort.response[te], score(model, x_te)))
        print(f"fold {k}: AUC {aucs[-1]:.3f}")
    return np.array(aucs)


def main():
    args = parse_args()
    torch.manual_seed(args.seed)
    np.random.seed(args.seed)
    cohort = simulate_cohort(args)
    aucs = cross_validate(cohort, args)
    print(f"{args.panel_size}-gene panel: AUC {aucs.mean():.3f} +- {aucs.std():.3f}")


if __name__ == "__main__":
    main()
