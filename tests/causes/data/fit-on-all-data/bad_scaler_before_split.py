import pandas as pd
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler

df = pd.read_csv("churn.csv")
y = df["churned"]
X = df.drop(columns=["churned", "id"])
scaler = StandardScaler()
X = scaler.fit_transform(X)  # fit-on-all-data
X_tr, X_te, y_tr, y_te = train_test_split(X, y, test_size=0.25, random_state=1, stratify=y)
clf = LogisticRegression().fit(X_tr, y_tr)
print(clf.score(X_te, y_te))
