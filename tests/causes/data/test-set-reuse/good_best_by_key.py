from sklearn.model_selection import train_test_split
from sklearn.neighbors import KNeighborsRegressor

rest, table_test, paid, price_test = train_test_split(table, price, random_state=3)
table_train, table_val, price_train, price_val = train_test_split(rest, paid, random_state=3)
tried = [KNeighborsRegressor(k).fit(table_train, price_train) for k in range(1, 30)]
chosen = max(tried, key=lambda m: m.score(table_val, price_val))
print(chosen, chosen.score(table_test, price_test))
print(max(tried, key=lambda m: m.n_neighbors).score(table_test, price_test))
