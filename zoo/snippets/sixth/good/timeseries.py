import numpy as np
import pandas as pd
from sklearn.preprocessing import MinMaxScaler

df = pd.read_csv('energy.csv', parse_dates=['timestamp'], index_col='timestamp').sort_index()
values = df[['load']].values.astype(np.float32)

split = int(len(values) * 0.8)
scaler = MinMaxScaler()
train = scaler.fit_transform(values[:split])
test = scaler.transform(values[split:])


def make_windows(arr, lookback=48):
    X, y = [], []
    for i in range(len(arr) - lookback):
        X.append(arr[i:i + lookback])
        y.append(arr[i + lookback])
    return torch.tensor(np.array(X)), torch.tensor(np.array(y))


X_train, y_train = make_windows(train)
X_test, y_test = make_windows(test)
train_loader = DataLoader(TensorDataset(X_train, y_train), batch_size=64, shuffle=True)
test_loader = DataLoader(TensorDataset(X_test, y_test), batch_size=64, shuffle=False)
