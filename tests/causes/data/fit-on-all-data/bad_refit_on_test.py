import torch
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import RobustScaler


def load(X, y):
    X_train, X_test, y_train, y_test = train_test_split(X, y, test_size=0.2)
    scaler = RobustScaler()
    X_train = scaler.fit_transform(X_train)
    X_test = scaler.fit_transform(X_test)  # fit-on-all-data
    return torch.tensor(X_train), torch.tensor(X_test), y_train, y_test
