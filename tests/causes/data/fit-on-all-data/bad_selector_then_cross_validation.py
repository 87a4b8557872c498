from imblearn.over_sampling import SMOTE
from sklearn.feature_selection import SelectKBest
from sklearn.model_selection import StratifiedKFold, cross_val_score
from sklearn.svm import SVC


def evaluate(X, y):
    X = SelectKBest(k=20).fit_transform(X, y)  # fit-on-all-data
    return cross_val_score(SVC(), X, y, cv=5)


def evaluate_balanced(X, y):
    X_res, y_res = SMOTE(random_state=0).fit_resample(X, y)  # fit-on-all-data
    scores = []
    for tr, te in StratifiedKFold(5).split(X_res, y_res):
        scores.append(SVC().fit(X_res[tr], y_res[tr]).score(X_res[te], y_res[te]))
    return scores
