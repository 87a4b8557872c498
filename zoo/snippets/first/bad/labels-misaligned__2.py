import pandas as pd
from sklearn.ensemble import GradientBoostingClassifier
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import train_test_split

# In[2]:
df = pd.read_csv("telco.csv")
df = df.dropna(subset=["total_charges"])
y = df["churn"].map({"No": 0, "Yes": 1}).values

# In[3]:
df = df.sample(frac=1, random_state=3).reset_index(drop=True)
num_cols = ["tenure", "monthly_charges", "total_charges"]
X = pd.get_dummies(df[num_cols + ["contract", "internet"]], columns=["contract", "internet"]).values

# In[4]:
X_tr, X_te, y_tr, y_te = train_test_split(X, y, test_size=0.25, stratify=y, random_state=3)
gb = GradientBoostingClassifier(n_estimators=300, max_depth=3, random_state=3)
gb.fit(X_tr, y_tr)

# In[5]:
print("AUC", roc_auc_score(y_te, gb.predict_proba(X_te)[:, 1]))
