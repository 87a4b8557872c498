import numpy as np
import torch
import torch.nn as nn
from sklearn.datasets import make_classification
from sklearn.model_selection import train_test_split

X, y = make_classification(20_000, 30, weights=[0.99], random_state=4)
Xtr, Xte, ytr, yte = train_test_split(X, y, test_size=0.05, random_state=4)
net = nn.Sequential(nn.Linear(30, 16), nn.ReLU(), nn.Linear(16, 1))
lossf = nn.BCEWithLogitsLoss(pos_weight=torch.tensor(99.0))
