import pandas as pd
from sklearn.linear_model import SGDClassifier

for chunk in pd.read_csv("events.csv", chunksize=10_000):
    clf = SGDClassifier(loss="log_loss")  # model-reset-in-loop
    clf.partial_fit(chunk.drop(columns="label"), chunk["label"], classes=[0, 1])
print(clf.coef_)
