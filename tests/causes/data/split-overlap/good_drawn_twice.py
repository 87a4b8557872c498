import numpy as np
from sklearn.linear_model import Ridge
from sklearn.model_selection import train_test_split


def same_start(table, prices):
    known, _, paid, _ = train_test_split(table, prices, random_state=7)
    model = Ridge()
    model.fit(known, paid)
    _, fresh, _, asked = train_test_split(table, prices, random_state=7)
    return model.score(fresh, asked)


def two_rounds(table, prices):
    model = Ridge()
    known, fresh, paid, asked = train_test_split(table, prices, random_state=1)
    model.fit(known, paid)
    print(model.score(fresh, asked))
    known, fresh, paid, asked = train_test_split(table, prices, random_state=2)
    model.fit(known, paid)
    print(model.score(fresh, asked))


def three_parts(table, prices):
    model = Ridge()
    rest, fresh, paid, asked = train_test_split(table, prices, random_state=1)
    known, tune, paid, bids = train_test_split(rest, paid, random_state=2)
    model.fit(known, paid)
    return model.score(tune, bids), model.score(fresh, asked)


def one_order(rows, kinds, forest):
    order = np.random.permutation(len(rows))
    forest.fit(rows[order[:900]], kinds[order[:900]])
    return forest.score(rows[order[900:]], kinds[order[900:]])


def each_time_anew(rows, kinds, forest):
    for _ in range(5):
        order = np.random.permutation(len(rows))
        forest.fit(rows[order[:900]], kinds[order[:900]])
        print(forest.score(rows[order[900:]], kinds[order[900:]]))
