import numpy as np
import pandas as pd
import xgboost as xgb
from sklearn.metrics import mean_squared_error
from sklearn.model_selection import train_test_split

df = pd.read_csv("diamonds.csv")
y = np.log1p(df.pop("price"))
X = pd.get_dummies(df, columns=["cut", "color", "clarity"])

X_dev, X_test, y_dev, y_test = train_test_split(X, y, test_size=0.15, random_state=1)
X_train, X_val, y_train, y_val = train_test_split(X_dev, y_dev, test_size=0.15, random_state=1)

model = xgb.XGBRegressor(
    n_estimators=5000, learning_rate=0.03, max_depth=7, subsample=0.8, colsample_bytree=0.8,
    early_stopping_rounds=100, eval_metric="rmse", random_state=1,
)
model.fit(X_train, y_train, eval_set=[(X_val, y_val)], verbose=200)
pred = model.predict(X_test)
print("best iteration", model.best_iteration)
print("test rmsle", mean_squared_error(y_test, pred) ** 0.5)
