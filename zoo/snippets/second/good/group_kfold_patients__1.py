import pandas as pd
from sklearn.ensemble import ExtraTreesClassifier
from sklearn.impute import SimpleImputer
from sklearn.model_selection import GroupKFold, cross_val_score
from sklearn.pipeline import make_pipeline

df = pd.read_parquet("icu.parquet")
groups = df["patient_id"]
y = df["deteriorated"]
X = df.drop(columns=["patient_id", "deteriorated", "charttime"])

model = make_pipeline(
    SimpleImputer(strategy="median", add_indicator=True),
    ExtraTreesClassifier(n_estimators=500, min_samples_leaf=5, class_weight="balanced", n_jobs=-1, random_state=3),
)
scores = cross_val_score(model, X, y, groups=groups, cv=GroupKFold(n_splits=5), scoring="roc_auc")
print(scores.mean(), scores.std())
model.fit(X, y)
