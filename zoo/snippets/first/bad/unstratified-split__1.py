# credit card fraud, 492 frauds out of 284,807 transactions
import pandas as pd
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import average_precision_score, recall_score
from sklearn.model_selection import train_test_split
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import RobustScaler

df = pd.read_csv("creditcard.csv")
y = df["Class"]
X = df.drop(columns=["Class", "Time"])
print(y.value_counts(normalize=True))

X_tr, X_te, y_tr, y_te = train_test_split(X, y, test_size=0.05, random_state=0)

pipe = Pipeline([
    ("scale", RobustScaler()),
    ("lr", LogisticRegression(class_weight="balanced", max_iter=1000)),
])
pipe.fit(X_tr, y_tr)
print("AP", average_precision_score(y_te, pipe.predict_proba(X_te)[:, 1]))
print("recall", recall_score(y_te, pipe.predict(X_te)))
