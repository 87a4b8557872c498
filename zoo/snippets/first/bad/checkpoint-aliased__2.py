import torch
import torch.nn.functional as F


class EarlyStopper:
    def __init__(self, patience=8, min_delta=1e-4):
        self.patience, self.min_delta = patience, min_delta
        self.best_loss, self.best_model, self.count = float("inf"), None, 0

    def update(self, loss, model):
        if loss < self.best_loss - self.min_delta:
            self.best_loss, self.count = loss, 0
            self.best_model = model
        else:
            self.count += 1
        return self.count >= self.patience


def val_loss(net, X, y):
    net.eval()
    with torch.no_grad():
        return F.mse_loss(net(X).squeeze(1), y).item()


def fit(net, X_tr, y_tr, X_val, y_val, epochs=500):
    opt = torch.optim.Adam(net.parameters(), lr=1e-3)
    stopper = EarlyStopper()
    for epoch in range(epochs):
        net.train()
        for idx in torch.randperm(len(X_tr)).split(128):
            opt.zero_grad()
            F.mse_loss(net(X_tr[idx]).squeeze(1), y_tr[idx]).backward()
            opt.step()
        if stopper.update(val_loss(net, X_val, y_val), net):
            break
    return stopper.best_model
