import pandas as pd
from sklearn.ensemble import RandomForestClassifier


def prepare(train_df, test_df, columns):
    for column in columns:
        train_df[column] = pd.factorize(train_df[column])[0]
        test_df[column] = pd.factorize(test_df[column])[0]  # preprocessing-mismatch
    return train_df, test_df


def main(train_df, test_df, columns):
    train_df, test_df = prepare(train_df, test_df, columns)
    model = RandomForestClassifier().fit(train_df[columns], train_df["label"])
    return model.score(test_df[columns], test_df["label"])
