"""A torch network dressed as a scikit-learn estimator, searched with RandomizedSearchCV.

The scaler lives inside the pipeline, so every fold fits its own. The test part is
touched in the last three lines and nowhere else.
"""
import numpy as np
import torch
from scipy.stats import loguniform
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.datasets import load_breast_cancer
from sklearn.metrics import balanced_accuracy_score, log_loss, roc_auc_score
from sklearn.model_selection import RandomizedSearchCV, StratifiedKFold, train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.multiclass import unique_labels
from sklearn.utils.validation import check_is_fitted, validate_data


class TorchNetClassifier(ClassifierMixin, BaseEstimator):
    """Every argument of __init__ is stored untouched; whatever is learned ends in an underscore."""

    def __init__(self, width=16, dropout=0.1, lr=3e-3, weight_decay=1e-2, epochs=40, batch_size=32,
                 random_state=0, verbose=0):
        self.width = width
        self.dropout = dropout
        self.lr = lr
        self.weight_decay = weight_decay
        self.epochs = epochs
        self.batch_size = batch_size
        self.random_state = random_state
        self.verbose = verbose

    def _build(self, n_in, n_out):
        return torch.nn.Sequential(
            torch.nn.Linear(n_in, self.width), torch.nn.ReLU(), torch.nn.Dropout(self.dropout),
            torch.nn.Linear(self.width, n_out))

    def fit(self, X, y):
        X, y = validate_data(self, X, y, dtype=np.float32)
        self.classes_ = unique_labels(y)
        with torch.random.fork_rng():                 # an estimator leaves the global generator alone
            torch.manual_seed(self.random_state)
            X, t = torch.from_numpy(X), torch.from_numpy(np.searchsorted(self.classes_, y))
            freq = torch.bincount(t, minlength=len(self.classes_)).float()
            loss_fn = torch.nn.CrossEntropyLoss(weight=freq.sum() / (len(freq) * freq))
            net = self._build(X.shape[1], len(self.classes_))
            opt = torch.optim.AdamW(net.parameters(), lr=self.lr, weight_decay=self.weight_decay)
            sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, T_max=self.epochs)
            self.loss_curve_ = []
            net.train()
            for epoch in range(self.epochs):
                total = 0.0
                for idx in torch.randperm(len(X)).split(self.batch_size):
                    opt.zero_grad()
                    loss = loss_fn(net(X[idx]), t[idx])
                    loss.backward()
                    opt.step()
                    total += loss.item() * len(idx)
                sched.step()
                self.loss_curve_.append(total / len(X))
                if self.verbose and (epoch + 1) % self.verbose == 0:
                    print(f"    epoch {epoch + 1:3d}  loss {self.loss_curve_[-1]:.4f}")
        self.net_ = net.eval()
        return self

    def predict_proba(self, X):
        check_is_fitted(self)
        X = validate_data(self, X, dtype=np.float32, reset=False)
        with torch.inference_mode():
            return self.net_(torch.from_numpy(X)).softmax(1).numpy()

    def predict(self, X):
        return self.classes_[self.predict_proba(X).argmax(1)]


def main():
    X, y = load_breast_cancer(return_X_y=True)
    X_dev, X_test, y_dev, y_test = train_test_split(X, y, test_size=0.25, stratify=y, random_state=3)

    pipe = make_pipeline(StandardScaler(), TorchNetClassifier())
    search = RandomizedSearchCV(
        pipe,
        {
            "torchnetclassifier__width": [16, 24, 32],
            "torchnetclassifier__dropout": [0.0, 0.1, 0.2],
            "torchnetclassifier__lr": loguniform(1.5e-3, 4e-3),
            "torchnetclassifier__weight_decay": loguniform(1e-2, 1e-1),
        },
        n_iter=6, scoring="neg_log_loss", cv=StratifiedKFold(5, shuffle=True, random_state=3), random_state=3,
        return_train_score=True,
    )
    search.fit(X_dev, y_dev)
    res = search.cv_results_
    for i in np.argsort(res["rank_test_score"]):
        p = {k.split("__")[1]: (round(float(v), 5)) for k, v in res["params"][i].items()}
        print(f"cv log-loss {-res['mean_test_score'][i]:.4f} +- {res['std_test_score'][i]:.4f}"
              f"  (train {-res['mean_train_score'][i]:.4f})  {p}")

    print("refit on the whole development part:")
    final = search.best_estimator_.set_params(torchnetclassifier__verbose=10).fit(X_dev, y_dev)
    proba = final.predict_proba(X_test)
    print(f"test: log-loss {log_loss(y_test, proba):.4f}  AUC {roc_auc_score(y_test, proba[:, 1]):.4f}"
          f"  balanced accuracy {balanced_accuracy_score(y_test, proba.argmax(1)):.4f}")


if __name__ == "__main__":
    main()
