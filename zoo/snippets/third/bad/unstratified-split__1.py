# Fraud detection baseline. ~1.7% positives in transactions.csv
import pandas as pd
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import average_precision_score
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

df = pd.read_csv("transactions.csv")
y = df["is_fraud"]
X = df.drop(columns=["is_fraud", "txn_id"])
print("positives:", y.mean())  # 0.017

X_train, X_test, y_train, y_test = train_test_split(X, y, test_size=0.1, random_state=7)
model = make_pipeline(StandardScaler(), LogisticRegression(class_weight="balanced", max_iter=2000))
model.fit(X_train, y_train)
print("AP", average_precision_score(y_test, model.predict_proba(X_test)[:, 1]))
