import torch
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split
from torch.utils.data import DataLoader, TensorDataset


def load_splits(seed):
    bunch = load_digits()
    x = torch.tensor(bunch.data / 16.0, dtype=torch.float32)
    y = torch.tensor(bunch.target)
    idx = torch.arange(len(x)).numpy()
    fit, hold = train_test_split(idx, test_size=0.3, random_state=seed, stratify=bunch.target)
    val, test = train_test_split(hold, test_size=0.5, random_state=seed, stratify=bunch.target[hold])
    return {name: TensorDataset(x[i], y[i]) for name, i in (("fit", fit), ("val", val), ("test", test))}


def loaders(splits, batch_size):
    return {
        name: DataLoader(ds, batch_size=batch_size if name == "fit" else 512, shuffle=name == "fit")
        for name, ds in splits.items()
    }
