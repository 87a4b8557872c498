import torch
import torch.nn as nn


class SensorNet(nn.Module):
    """(batch, time, channels) in, class scores out."""

    def __init__(self, channels=9, hidden=96, n_classes=6):
        super().__init__()
        self.lstm = nn.LSTM(channels, hidden, num_layers=2, dropout=0.2)
        self.att = nn.Linear(hidden, 1)
        self.fc = nn.Linear(hidden, n_classes)

    def forward(self, x):
        x = x.permute(1, 0, 2)                     # time first
        out, _ = self.lstm(x)                      # (T, B, H)
        w = torch.softmax(self.att(out), dim=0)    # over time
        ctx = (w * out).sum(dim=0)                 # (B, H)
        return self.fc(ctx)


def train(model, loader, epochs=30):
    opt = torch.optim.Adam(model.parameters(), lr=1e-3)
    crit = nn.CrossEntropyLoss()
    for ep in range(epochs):
        model.train()
        for x, y in loader:
            opt.zero_grad()
            loss = crit(model(x), y)
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), 5.0)
            opt.step()
        print(ep, loss.item())
