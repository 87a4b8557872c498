import torch
from torch import nn


class EarlyStopping:
    def __init__(self, patience, min_delta=0.0):
        self.patience, self.min_delta = patience, min_delta
        self.best, self.wait, self.weights, self.best_epoch = float("inf"), 0, None, -1

    def update(self, epoch, value, model):
        if value < self.best - self.min_delta:
            self.best, self.wait, self.best_epoch = value, 0, epoch
            self.weights = dict(model.state_dict())
        else:
            self.wait += 1
        return self.wait >= self.patience

    def restore(self, model):
        model.load_state_dict(self.weights)


def noisy_rings(n, g):
    x = torch.randn(n, 12, generator=g)
    y = (x[:, :2].norm(dim=1) > 1.18).long()
    flip = torch.rand(n, generator=g) < 0.15
    return x, torch.where(flip, 1 - y, y)


def val_loss(model, data):
    model.eval()
    with torch.no_grad():
        return nn.functional.cross_entropy(model(data[0]), data[1]).item()


def main():
    torch.manual_seed(28)
    g = torch.Generator().manual_seed(28)
    train, val = noisy_rings(500, g), noisy_rings(800, g)
    model = nn.Sequential(nn.Linear(12, 256), nn.ReLU(), nn.Linear(256, 128), nn.ReLU(), nn.Linear(128, 2))
    opt = torch.optim.Adam(model.parameters(), lr=2e-3)
    stopper = EarlyStopping(patience=25)
    for epoch in range(120):
        model.train()
        for idx in torch.randperm(500, generator=g).split(32):
            opt.zero_grad()
            nn.functional.cross_entropy(model(train[0][idx]), train[1][idx]).backward()
            opt.step()
        v = val_loss(model, val)
        if epoch % 5 == 0:
            print(f"epoch {epoch} val {v:.4f}")
        if stopper.update(epoch, v, model):
            print(f"stopped after epoch {epoch}, best was epoch {stopper.best_epoch} with {stopper.best:.4f}")
            break
    stopper.restore(model)
    print(f"restored model: val loss {val_loss(model, val):.4f}")


main()
