import pandas as pd
from sklearn.feature_selection import SelectKBest
from sklearn.model_selection import train_test_split
from sklearn.naive_bayes import GaussianNB

train = pd.read_csv("train.csv")
labels = train.pop("label")
chosen = SelectKBest(k=10).fit_transform(train, labels)  # fit-on-all-data
a, b, ya, yb = train_test_split(chosen, labels, stratify=labels, random_state=0)
print(GaussianNB().fit(a, ya).score(b, yb))
