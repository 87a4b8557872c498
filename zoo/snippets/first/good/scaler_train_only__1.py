import numpy as np
import pandas as pd
import torch
from sklearn.impute import SimpleImputer
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import OrdinalEncoder, StandardScaler

df = pd.read_csv("titanic.csv")
# row-wise features use nothing but the row itself
df["family"] = df["SibSp"] + df["Parch"] + 1
df["title"] = df["Name"].str.extract(r",\s*([^\.]+)\.")[0].str.strip()
df["log_fare"] = np.log1p(df["Fare"])
train, test = train_test_split(df, test_size=0.2, stratify=df["Survived"], random_state=7)
num, cat = ["Age", "log_fare", "family"], ["Sex", "title", "Embarked"]

imp, sc = SimpleImputer(strategy="median"), StandardScaler()
enc = OrdinalEncoder(handle_unknown="use_encoded_value", unknown_value=-1)
Xn_tr = sc.fit_transform(imp.fit_transform(train[num]))
Xn_te = sc.transform(imp.transform(test[num]))
Xc_tr = enc.fit_transform(train[cat].astype(str))
Xc_te = enc.transform(test[cat].astype(str))
X_tr = torch.tensor(np.hstack([Xn_tr, Xc_tr]), dtype=torch.float32)
X_te = torch.tensor(np.hstack([Xn_te, Xc_te]), dtype=torch.float32)
