import numpy as np
from sklearn.linear_model import Ridge
from sklearn.model_selection import train_test_split

load = np.loadtxt("load.txt")
past = 24
rows = np.stack([load[i : i + past] for i in range(len(load) - past)])
after = load[past:]
a, b, ya, yb = train_test_split(rows, after, test_size=0.2, random_state=0)  # shuffled-time-split
print(Ridge().fit(a, ya).score(b, yb))
