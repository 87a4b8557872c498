import numpy as np
import torch
from sklearn.feature_selection import SelectKBest, f_classif
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import LabelEncoder, StandardScaler

raw = np.load("genes.npz")
labels = LabelEncoder().fit_transform(raw["subtype"])
x_train, x_test, y_train, y_test = train_test_split(raw["x"], labels, stratify=labels)
selector = SelectKBest(f_classif, k=50)
x_train = selector.fit_transform(x_train, y_train)
x_test = selector.transform(x_test)
scaler = StandardScaler().fit(x_train)
x_train = torch.tensor(scaler.transform(x_train), dtype=torch.float32)
x_test = torch.tensor(scaler.transform(x_test), dtype=torch.float32)
x_fit, x_val, y_fit, y_val = train_test_split(x_train, y_train, test_size=0.1)
