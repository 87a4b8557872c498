import numpy as np
import torch
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split


def digits_patches(seed, test_size=0.25):
    X, y = load_digits(return_X_y=True)
    Xtr, Xva, ytr, yva = train_test_split(
        X.astype(np.float32), y, test_size=test_size, stratify=y, random_state=seed
    )
    mu, sd = Xtr.mean(), Xtr.std()

    def prep(x):
        x = torch.from_numpy((x - mu) / sd).view(-1, 4, 2, 4, 2)
        return x.permute(0, 1, 3, 2, 4).reshape(-1, 16, 4)  # 16 patches of 2x2

    return prep(Xtr), torch.from_numpy(ytr), prep(Xva), torch.from_numpy(yva)
