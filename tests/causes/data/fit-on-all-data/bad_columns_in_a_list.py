import numpy as np
import pandas as pd
from sklearn.model_selection import train_test_split

houses = pd.read_csv("houses.csv")
columns = ["area", "rooms", "age"]
scaled = np.stack([(houses[c] - houses[c].mean()) / houses[c].std() for c in columns], axis=1)  # fit-on-all-data
x_train, x_test, y_train, y_test = train_test_split(scaled, houses["price"], random_state=0)
