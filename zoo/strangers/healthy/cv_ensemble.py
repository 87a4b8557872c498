"""Benign or malignant from nuclear morphometry: five-fold cross-validation, the fold models averaged on a locked test set."""
import numpy as np
import torch
import torch.nn.functional as F
from sklearn.datasets import load_breast_cancer
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import StratifiedKFold, train_test_split

CFG = {
    "seed": 20,
    "folds": 5,
    "epochs": 70,
    "batch": 32,
    "lr": 0.02,
    "l2": 2e-3,
    "noise": 0.15,
    "sizes": (30, 24, 12, 1),
}


def new_parameters(sizes, g):
    """He-scaled weights as plain tensors"""
    theta = []
    for a, b in zip(sizes[:-1], sizes[1:]):
        theta.append((torch.randn(a, b, generator=g) * (2.0 / a) ** 0.5).requires_grad_())
        theta.append(torch.zeros(b).requires_grad_())
    return theta


def logits(theta, x):
    *hidden, w, b = theta
    for a, c in zip(hidden[::2], hidden[1::2]):
        x = F.leaky_relu(x @ a + c, 0.1)
    return (x @ w + b)[:, 0]


def objective(theta, x, y, weight, l2):
    z = logits(theta, x)
    # softplus form of the cross-entropy, positives weighted
    ce = weight * y * F.softplus(-z) + (1 - y) * F.softplus(z)
    return ce.mean() + l2 * sum(p.square().sum() for p in theta[::2])


class Fold:
    def __init__(self, x, y, cfg, g):
        self.mu, self.sd = x.mean(0), x.std(0)
        self.x, self.y = self.scale(x), torch.tensor(y, dtype=torch.float32)
        self.weight = (1 - self.y).sum() / self.y.sum()
        self.cfg, self.g = cfg, g
        self.theta = new_parameters(cfg["sizes"], g)
        self.opt = torch.optim.SGD(self.theta, lr=cfg["lr"], momentum=0.9, nesterov=True)
        self.sched = torch.optim.lr_scheduler.CosineAnnealingLR(self.opt, cfg["epochs"])

    def scale(self, x):
        return torch.tensor((x - self.mu) / self.sd, dtype=torch.float32)

    def train(self):
        history = []
        for epoch in range(self.cfg["epochs"]):
            total = 0.0
            for i in torch.randperm(len(self.y), generator=self.g).split(self.cfg["batch"]):
                x = self.x[i] + self.cfg["noise"] * torch.randn(len(i), self.x.shape[1], generator=self.g)
                loss = objective(self.theta, x, self.y[i], self.weight, self.cfg["l2"])
                grads = torch.autograd.grad(loss, self.theta)
                for p, d in zip(self.theta, grads):
                    p.grad = d
                self.opt.step()
                total += loss.item() * len(i)
            self.sched.step()
            history.append(total / len(self.y))
        return history

    @torch.no_grad()
    def score(self, x):
        return logits(self.theta, self.scale(x)).numpy()


def main(cfg):
    g = torch.Generator().manual_seed(cfg["seed"])
    X, t = load_breast_cancer(return_X_y=True)
    y = 1 - t                                        # 1: malignant
    X, X_lock, y, y_lock = train_test_split(X, y, test_size=0.25, stratify=y, random_state=cfg["seed"])
    folds = StratifiedKFold(cfg["folds"], shuffle=True, random_state=cfg["seed"])
    members, out_of_fold = [], np.empty(len(y))
    for k, (tr, va) in enumerate(folds.split(X, y)):
        fold = Fold(X[tr], y[tr], cfg, g)
        history = fold.train()
        z = fold.score(X[va])
        out_of_fold[va] = z
        members.append(fold)
        print(f"fold {k}: objective {history[0]:.3f} -> {history[len(history) // 2]:.3f} -> {history[-1]:.3f}, "
              f"AUC {roc_auc_score(y[va], z):.4f}, accuracy {((z > 0) == y[va]).mean():.4f}")
    print(f"cross-validated: AUC {roc_auc_score(y, out_of_fold):.4f}, accuracy {((out_of_fold > 0) == y).mean():.4f}")
    z = np.mean([m.score(X_lock) for m in members], axis=0)
    print(f"locked test set: AUC {roc_auc_score(y_lock, z):.4f}, accuracy {((z > 0) == y_lock).mean():.4f}")


main(CFG)
