"""sklearn-flavoured wrapper around a torch MLP, fed from a stream of chunks."""
from __future__ import annotations

import logging

import numpy as np
import torch
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.datasets import make_classification
from sklearn.metrics import accuracy_score, log_loss
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler
from torch import nn

logging.basicConfig(level=logging.INFO, format="%(levelname)s %(message)s")
log = logging.getLogger("stream")


class TorchClassifier(ClassifierMixin, BaseEstimator):
    def __init__(self, n_features, n_classes, hidden=96, lr=2e-3, weight_decay=1e-3, batch_size=32):
        self.n_features = n_features
        self.n_classes = n_classes
        self.hidden = hidden
        self.lr = lr
        self.weight_decay = weight_decay
        self.batch_size = batch_size
        self.net_ = None

    def _build(self):
        self.net_ = nn.Sequential(
            nn.Linear(self.n_features, self.hidden),
            nn.ReLU(),
            nn.Linear(self.hidden, self.hidden),
            nn.ReLU(),
            nn.Linear(self.hidden, self.n_classes),
        )
        self.opt_ = torch.optim.AdamW(self.net_.parameters(), lr=self.lr, weight_decay=self.weight_decay)
        self.loss_ = nn.CrossEntropyLoss()

    def fit(self, X, y):
        self._build()
        X = torch.as_tensor(X, dtype=torch.float32)
        y = torch.as_tensor(y, dtype=torch.long)
        self.net_.train()
        losses = []
        for idx in torch.randperm(len(X)).split(self.batch_size):
            self.opt_.zero_grad()
            loss = self.loss_(self.net_(X[idx]), y[idx])
            loss.backward()
            self.opt_.step()
            losses.append(loss.item())
        self.last_loss_ = float(np.mean(losses))
        return self

    @torch.no_grad()
    def predict_proba(self, X):
        self.net_.eval()
        logits = self.net_(torch.as_tensor(X, dtype=torch.float32))
        return torch.softmax(logits.double(), dim=1).numpy()

    def predict(self, X):
        return self.predict_proba(X).argmax(1)


def chunks(X, y, size, rng):
    order = rng.permutation(len(X))
    for start in range(0, len(X), size):
        part = order[start:start + size]
        yield X[part], y[part]


def main():
    seed = 11
    torch.manual_seed(seed)
    rng = np.random.default_rng(seed)

    X, y = make_classification(n_samples=9000, n_features=24, n_informative=14, n_redundant=4, n_classes=5,
                               n_clusters_per_class=2, class_sep=1.6, flip_y=0.0, random_state=seed)
    X_train, X_hold, y_train, y_hold = train_test_split(X, y, test_size=0.3, stratify=y, random_state=seed)
    X_val, X_test, y_val, y_test = train_test_split(X_hold, y_hold, test_size=0.5, stratify=y_hold, random_state=seed)
    scaler = StandardScaler().fit(X_train)
    X_train, X_val, X_test = map(scaler.transform, (X_train, X_val, X_test))

    clf = TorchClassifier(n_features=X.shape[1], n_classes=5)
    seen = 0
    for sweep in range(8):
        chunk_losses = []
        for X_chunk, y_chunk in chunks(X_train, y_train, 128, rng):
            clf.fit(X_chunk, y_chunk)
            chunk_losses.append(clf.last_loss_)
            seen += len(X_chunk)
        proba = clf.predict_proba(X_val)
        log.info("sweep %d  seen %6d  chunk loss %.4f  val loss %.4f  val acc %.3f", sweep, seen,
                 np.mean(chunk_losses), log_loss(y_val, proba, labels=range(5)),
                 accuracy_score(y_val, proba.argmax(1)))

    log.info("test accuracy %.3f", accuracy_score(y_test, clf.predict(X_test)))


if __name__ == "__main__":
    main()
