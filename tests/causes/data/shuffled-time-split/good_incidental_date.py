import pandas as pd
from sklearn.ensemble import RandomForestClassifier
from sklearn.model_selection import train_test_split

df = pd.read_csv("applications.csv", parse_dates=["birth_date"])
df["age"] = (pd.Timestamp.now() - df["birth_date"]).dt.days / 365.25
latest = df.sort_values("submitted_date").drop_duplicates("customer", keep="last")
X, y = latest[["age", "income"]], latest["defaulted"]
X_tr, X_te, y_tr, y_te = train_test_split(X, y, stratify=y, random_state=0)
print(RandomForestClassifier().fit(X_tr, y_tr).score(X_te, y_te))
