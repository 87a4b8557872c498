import pandas as pd
from sklearn.linear_model import LogisticRegression

houses = pd.read_csv("houses.csv")
houses["dear"] = houses["price"] > 500_000
houses["per_room"] = houses["area"] / houses["rooms"]
table = houses.drop(columns=["dear"])
print(table.corr())
INPUTS = ["area", "rooms", "per_room", "year"]
past, later = houses[houses.year < 2015], houses[houses.year >= 2015]
model = LogisticRegression().fit(past[INPUTS], past["dear"])
print(model.score(later[INPUTS], later["dear"]))
