# %% [markdown]
# ## Churn prediction

# %%
import pandas as pd
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler

# %%
df = pd.read_csv("telco.csv")
df = df.dropna()
y = (df["Churn"] == "Yes").astype(int)
X = pd.get_dummies(df.drop(columns=["Churn", "customerID"]))
X.head()

# %%
scaler = StandardScaler()
X_scaled = scaler.fit_transform(X)

# %%
X_train, X_test, y_train, y_test = train_test_split(
    X_scaled, y, test_size=0.2, random_state=42, stratify=y
)

# %%
clf = LogisticRegression(max_iter=1000)
clf.fit(X_train, y_train)
print("AUC", roc_auc_score(y_test, clf.predict_proba(X_test)[:, 1]))
