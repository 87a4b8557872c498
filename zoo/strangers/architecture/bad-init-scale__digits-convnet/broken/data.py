import torch
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split


def get_splits(seed):
    images, labels = load_digits(return_X_y=True)
    images = images.reshape(-1, 1, 8, 8).astype("float32")
    x_rest, x_test, y_rest, y_test = train_test_split(
        images, labels, test_size=0.2, stratify=labels, random_state=seed)
    x_train, x_val, y_train, y_val = train_test_split(
        x_rest, y_rest, test_size=0.15, stratify=y_rest, random_state=seed)
    mean, std = x_train.mean(), x_train.std()
    pack = lambda x, y: (torch.from_numpy((x - mean) / std), torch.from_numpy(y))
    return pack(x_train, y_train), pack(x_val, y_val), pack(x_test, y_test)


def batches(x, y, size, generator):
    order = torch.randperm(len(x), generator=generator)
    for chunk in order.split(size):
        yield x[chunk], y[chunk]
