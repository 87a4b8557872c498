import torch
from torch import nn


class SeqForecaster(nn.Module):
    def __init__(self, n_in, hidden, horizon):
        super().__init__()
        self.gru = nn.GRU(n_in, hidden, batch_first=True)
        self.head = nn.Linear(hidden, horizon)

    def forward(self, x):
        _, h = self.gru(x)
        return self.head(h[-1])


class Trainer:
    def __init__(self, model, lr=0.01, batch_size=512):
        self.model = model
        self.batch_size = batch_size
        self.optimizer = torch.optim.SGD(model.parameters(), lr=lr, momentum=0.9)
        self.loss_fn = nn.MSELoss(reduction="sum")

    def fit(self, dataset, epochs):
        loader = torch.utils.data.DataLoader(dataset, batch_size=self.batch_size, shuffle=True)
        self.model.train()
        for epoch in range(epochs):
            for window, future in loader:
                self.optimizer.zero_grad()
                loss = self.loss_fn(self.model(window), future)
                loss.backward()
                self.optimizer.step()
            print(f"[{epoch}] loss={loss.item():.3f}")
