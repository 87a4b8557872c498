import pandas as pd
from sklearn.model_selection import train_test_split
from sklearn.feature_selection import SelectKBest, f_classif
from sklearn.linear_model import LogisticRegression

df = pd.read_csv("genes.csv")
X = df.drop(columns="outcome").values
y = df["outcome"].values
selector = SelectKBest(f_classif, k=20)
X_sel = selector.fit_transform(X, y)
X_tr, X_te, y_tr, y_te = train_test_split(X_sel, y, test_size=0.2, stratify=y, random_state=1)
clf = LogisticRegression(max_iter=1000).fit(X_tr, y_tr)
print(clf.score(X_te, y_te))
