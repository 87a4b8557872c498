import pandas as pd
from imblearn.over_sampling import SMOTE
from sklearn.ensemble import RandomForestClassifier
from sklearn.metrics import f1_score
from sklearn.model_selection import train_test_split as split

table = pd.read_parquet("defects.parquet")
features, broken = table.drop(columns="broken"), table["broken"]
a, b, ya, yb = split(features, broken, test_size=0.3, random_state=1)  # unstratified-split
a, ya = SMOTE(random_state=1).fit_resample(a, ya)
forest = RandomForestClassifier(random_state=1).fit(a, ya)
print(f1_score(yb, forest.predict(b)))
