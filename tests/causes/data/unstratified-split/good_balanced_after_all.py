import numpy as np
import pandas as pd
from imblearn.under_sampling import RandomUnderSampler
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import accuracy_score, average_precision_score
from sklearn.model_selection import train_test_split

table = pd.read_csv("churn.csv")
x, y = table.drop(columns="left"), table["left"]
even_x, even_y = RandomUnderSampler(random_state=0).fit_resample(x, y)
a, b, ya, yb = train_test_split(even_x, even_y, random_state=0)
print(accuracy_score(yb, LogisticRegression(class_weight="balanced").fit(a, ya).predict(b)))

rng = np.random.default_rng(1)
fair = (rng.random(1000) < 0.4).astype(int)
c, d, yc, yd = train_test_split(rng.normal(size=(1000, 3)), fair, test_size=0.2, random_state=0)

e, f, ye, yf = train_test_split(x, y, test_size=0.1, stratify=y, random_state=0)
rare = LogisticRegression(class_weight={0: 1, 1: 20}).fit(e, ye)
