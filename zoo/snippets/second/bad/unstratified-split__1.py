import pandas as pd
from sklearn.ensemble import RandomForestClassifier
from sklearn.metrics import average_precision_score, classification_report
from sklearn.model_selection import train_test_split

# Kaggle credit card data: 284,807 transactions, 492 frauds
data = pd.read_csv("creditcard.csv")
X = data.drop(columns=["Class"])
y = data["Class"]
print(y.value_counts(normalize=True))

X_train, X_test, y_train, y_test = train_test_split(X, y, test_size=0.1, random_state=42)

rf = RandomForestClassifier(
    n_estimators=300, class_weight="balanced_subsample", n_jobs=-1, random_state=42
)
rf.fit(X_train, y_train)

scores = rf.predict_proba(X_test)[:, 1]
print("AP:", average_precision_score(y_test, scores))
print(classification_report(y_test, scores > 0.5, digits=4))
