import pandas as pd
from sklearn.ensemble import RandomForestClassifier
from sklearn.preprocessing import LabelEncoder


def prepare(train, test, columns):
    for column in columns:
        codes = {value: place + 1 for place, value in enumerate(train[column].unique())}
        for part in (train, test):
            part[column] = part[column].map(codes).fillna(0).astype(int)
    for part in (train, test):
        part["hour"] = pd.to_datetime(part["when"]).dt.hour
        print(len(part), part["city"].nunique(), set(part["city"]))
    encoder = LabelEncoder()
    return encoder.fit_transform(train["label"]), encoder.transform(test["label"])


def by_type(train, test):
    kinds = pd.CategoricalDtype(sorted(train["brand"].unique()))
    train["brand"] = train["brand"].astype(kinds).cat.codes
    test["brand"] = test["brand"].astype(kinds).cat.codes
    return train, test


def main(train, test, columns):
    y_train, y_test = prepare(train, test, columns)
    train, test = by_type(train, test)
    model = RandomForestClassifier().fit(train[columns], y_train)
    return model.score(test[columns], y_test)
