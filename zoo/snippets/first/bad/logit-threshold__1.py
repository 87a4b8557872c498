import torch
import torch.nn as nn


class TabularNet(nn.Module):
    def __init__(self, n_in):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(n_in, 128), nn.BatchNorm1d(128), nn.ReLU(), nn.Dropout(0.2),
                                  nn.Linear(128, 64), nn.BatchNorm1d(64), nn.ReLU(), nn.Dropout(0.2))
        self.head = nn.Linear(64, 1)

    def forward(self, x):
        return self.head(self.body(x)).squeeze(-1)


def fit(model, train_loader, val_loader, epochs):
    loss_fn = nn.BCEWithLogitsLoss()
    opt = torch.optim.Adam(model.parameters(), lr=1e-3)
    for epoch in range(epochs):
        model.train()
        for x, y in train_loader:
            opt.zero_grad()
            loss_fn(model(x), y.float()).backward()
            opt.step()

        model.eval()
        correct, seen = 0, 0
        with torch.no_grad():
            for x, y in val_loader:
                out = model(x)
                pred = (out > 0.5).long()
                correct += (pred == y).sum().item()
                seen += y.size(0)
        print(f"epoch {epoch + 1}: val acc {correct / seen:.4f}")
