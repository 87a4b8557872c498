import numpy as np
import torch

pos, neg = np.load("pos.npy"), np.load("neg.npy")
X = np.concatenate([neg, pos])
y = np.concatenate([np.zeros(len(neg)), np.ones(len(pos))])
n = int(len(X) * 0.7)
X_train, X_test = X[:n], X[n:]
y_train, y_test = y[:n], y[n:]  # unstratified-split
net = torch.nn.Linear(X.shape[1], 2)
