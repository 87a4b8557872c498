import pandas as pd
from sklearn.ensemble import ExtraTreesClassifier
from sklearn.metrics import balanced_accuracy_score
from sklearn.model_selection import GroupShuffleSplit, StratifiedGroupKFold, cross_val_score

df = pd.read_parquet("gait.parquet")
X, y, subject = df.drop(columns=["label", "subject"]), df["label"], df["subject"]

# people of the test part never appear in the training part
tr, te = next(GroupShuffleSplit(1, test_size=0.2, random_state=0).split(X, y, groups=subject))
clf = ExtraTreesClassifier(500, class_weight="balanced", random_state=0, n_jobs=-1)
cv = cross_val_score(clf, X.iloc[tr], y.iloc[tr], groups=subject.iloc[tr], cv=StratifiedGroupKFold(5), scoring="balanced_accuracy")
clf.fit(X.iloc[tr], y.iloc[tr])
print(cv.mean(), balanced_accuracy_score(y.iloc[te], clf.predict(X.iloc[te])))
