import pandas as pd
from lightgbm import LGBMRanker


def groups(train, test):
    """A ranker compares within a query only: each part numbers its own."""
    train["group"] = pd.factorize(train["query_id"])[0]
    test["group"] = pd.factorize(test["query_id"])[0]
    return train.groupby("group").size(), test.groupby("group").size()


def main(train, test, columns):
    of_train, of_test = groups(train, test)
    ranker = LGBMRanker().fit(train[columns], train["clicks"], group=of_train)
    return ranker.predict(test[columns]), of_test
