import numpy as np
import pandas as pd
from sklearn.model_selection import train_test_split
from sklearn.ensemble import RandomForestRegressor
from sklearn.metrics import mean_absolute_error

df = pd.read_csv('AAPL.csv', parse_dates=['Date'])
df = df.sort_values('Date')
prices = df['Close'].values

window = 30
X, y = [], []
for i in range(len(prices) - window):
    X.append(prices[i:i + window])
    y.append(prices[i + window])
X = np.array(X)
y = np.array(y)

X_train, X_test, y_train, y_test = train_test_split(X, y, test_size=0.2, random_state=0)

model = RandomForestRegressor(n_estimators=200, random_state=0)
model.fit(X_train, y_train)
pred = model.predict(X_test)
print('MAE:', mean_absolute_error(y_test, pred))
