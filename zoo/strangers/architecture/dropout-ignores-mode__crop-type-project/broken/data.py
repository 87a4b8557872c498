"""Synthetic stand-in for the crop survey: 20 spectral bands, 8 crop types."""
import torch
from sklearn.datasets import make_classification
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler
from torch.utils.data import DataLoader, TensorDataset


def get_loaders(batch_size, seed):
    X, y = make_classification(
        n_samples=5000, n_features=20, n_informative=12, n_redundant=4,
        n_classes=8, n_clusters_per_class=1, class_sep=1.8, flip_y=0.0,
        random_state=seed)
    X_train, X_rest, y_train, y_rest = train_test_split(
        X, y, test_size=0.3, stratify=y, random_state=seed)
    X_val, X_test, y_val, y_test = train_test_split(
        X_rest, y_rest, test_size=0.5, stratify=y_rest, random_state=seed)

    scaler = StandardScaler().fit(X_train)

    def loader(X, y, shuffle):
        ds = TensorDataset(torch.tensor(scaler.transform(X), dtype=torch.float32),
                           torch.tensor(y))
        return DataLoader(ds, batch_size=batch_size, shuffle=shuffle)

    return (loader(X_train, y_train, True),
            loader(X_val, y_val, False),
            loader(X_test, y_test, False))
