import torch
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split
from torch.utils.data import DataLoader, TensorDataset


def loaders(batch_size, seed):
    images, labels = load_digits(return_X_y=True)
    rest, test, y_rest, y_test = train_test_split(images, labels, test_size=0.2, stratify=labels, random_state=seed)
    train, val, y_train, y_val = train_test_split(rest, y_rest, test_size=0.2, stratify=y_rest, random_state=seed)
    center, spread = train.mean(), train.std()

    def pack(x, y, shuffle=False):
        x = torch.tensor((x - center) / spread, dtype=torch.float32).view(-1, 1, 8, 8)
        return DataLoader(TensorDataset(x, torch.tensor(y)), batch_size=batch_size, shuffle=shuffle)

    return pack(train, y_train, True), pack(val, y_val), pack(test, y_test)
