import torch
import torch.nn as nn


class SparseRegressor:
    def __init__(self, n_features, lam=1e-3, lr=1e-2, epochs=200):
        self.lam, self.epochs = lam, epochs
        self.model = nn.Linear(n_features, 1)
        self.optimizer = torch.optim.Adam(self.model.parameters(), lr=lr)

    def _penalty(self):
        return sum(p.abs().sum().item() for name, p in self.model.named_parameters() if "weight" in name)

    def fit(self, X, y):
        X = torch.as_tensor(X, dtype=torch.float32)
        y = torch.as_tensor(y, dtype=torch.float32).reshape(-1, 1)
        for _ in range(self.epochs):
            self.optimizer.zero_grad()
            data_term = nn.functional.mse_loss(self.model(X), y)
            loss = data_term + self.lam * self._penalty()
            loss.backward()
            self.optimizer.step()
        return self

    @torch.no_grad()
    def predict(self, X):
        return self.model(torch.as_tensor(X, dtype=torch.float32)).squeeze(1).numpy()
