# Stacked classifier, nested evaluation, scikit-learn only.
import warnings
import numpy as np
from sklearn.base import clone
from sklearn.datasets import load_wine, make_classification
from sklearn.decomposition import PCA
from sklearn.ensemble import ExtraTreesClassifier
from sklearn.feature_selection import SelectKBest, f_classif
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import balanced_accuracy_score, log_loss
from sklearn.model_selection import GridSearchCV, RepeatedStratifiedKFold, StratifiedKFold, cross_val_predict
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

warnings.simplefilter("ignore", FutureWarning)
SEED = 314


def base_models():
    return {
        "logit": GridSearchCV(make_pipeline(StandardScaler(), LogisticRegression(max_iter=3000)),
                              {"logisticregression__C": [0.03, 0.3, 3.0]}, cv=4, scoring="neg_log_loss"),
        "svm": make_pipeline(StandardScaler(), SelectKBest(f_classif, k=10), SVC(C=3.0, gamma="scale", random_state=SEED)),
        "knn": make_pipeline(StandardScaler(), PCA(0.9), KNeighborsClassifier(9, weights="distance")),
        "trees": ExtraTreesClassifier(120, min_samples_leaf=2, random_state=SEED),
    }


def scores_of(est, X):
    return est.predict_proba(X) if hasattr(est, "predict_proba") else est.decision_function(X)


class Stack:
    def __init__(self, models, inner):
        self.models, self.inner = models, inner

    def fit(self, X, y):
        meta = []
        for est in self.models.values():
            method = "predict_proba" if hasattr(est, "predict_proba") else "decision_function"
            meta.append(cross_val_predict(clone(est), X, y, cv=self.inner, method=method))
        self.scaler_ = StandardScaler()
        Z = self.scaler_.fit_transform(np.hstack(meta))
        self.blender_ = LogisticRegression(C=0.1, max_iter=3000).fit(Z, y)
        self.fitted_ = {k: clone(m).fit(X, y) for k, m in self.models.items()}
        return self

    def predict_proba(self, X):
        Z = np.hstack([scores_of(m, X) for m in self.fitted_.values()])
        return self.blender_.predict_proba(self.scaler_.transform(Z))


def evaluate(name, X, y, n_splits, n_repeats):
    print(f"\n{name}: {X.shape[0]} rows, {X.shape[1]} columns, class counts {np.bincount(y).tolist()}")
    table = {k: [] for k in [*base_models(), "stack"]}
    outer = RepeatedStratifiedKFold(n_splits=n_splits, n_repeats=n_repeats, random_state=SEED)
    nll = []
    for fold, (tr, te) in enumerate(outer.split(X, y)):
        stack = Stack(base_models(), StratifiedKFold(4, shuffle=True, random_state=SEED + fold)).fit(X[tr], y[tr])
        for k, m in stack.fitted_.items():
            table[k].append(balanced_accuracy_score(y[te], m.predict(X[te])))
        proba = stack.predict_proba(X[te])
        table["stack"].append(balanced_accuracy_score(y[te], proba.argmax(1)))
        nll.append(log_loss(y[te], proba, labels=np.unique(y)))
        print(f"  fold {fold}: " + "  ".join(f"{k}={v[-1]:.3f}" for k, v in table.items()), flush=True)
    for k, v in table.items():
        print(f"  {k:<6s} balanced accuracy {np.mean(v):.4f} (sd {np.std(v):.4f})")
    print(f"  stack log loss {np.mean(nll):.4f}")


if __name__ == "__main__":
    evaluate("wine", *load_wine(return_X_y=True), n_splits=4, n_repeats=1)
    X, y = make_classification(900, 24, n_informative=9, n_redundant=5, n_classes=3, n_clusters_per_class=2,
                               weights=[0.6, 0.3, 0.1], class_sep=1.3, flip_y=0.02, random_state=SEED)
    evaluate("synthetic, skewed", X, y, n_splits=3, n_repeats=1)
