import torch

signal = torch.load("signal.pt")
xs, ys = [], []
for t in range(30, len(signal)):
    xs.append(signal[t - 30 : t])
    ys.append(signal[t])
X, Y = torch.stack(xs), torch.stack(ys)
perm = torch.randperm(len(X))
n = int(0.8 * len(X))
train_idx, test_idx = perm[:n], perm[n:]  # shuffled-time-split
x_train, y_train = X[train_idx], Y[train_idx]
x_test, y_test = X[test_idx], Y[test_idx]
