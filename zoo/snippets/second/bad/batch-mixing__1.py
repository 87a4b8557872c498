import torch
import torch.nn as nn


class ActivityRNN(nn.Module):
    """Accelerometer activity recognition; loader gives (batch, time, 6)."""

    def __init__(self, n_feat=6, hidden=64, steps=128, n_classes=6):
        super().__init__()
        self.hidden = hidden
        self.steps = steps
        self.rnn = nn.LSTM(n_feat, hidden)
        self.fc = nn.Linear(steps * hidden, n_classes)

    def forward(self, x):
        batch = x.size(0)
        # LSTM wants (seq, batch, feature)
        x = x.view(self.steps, batch, -1)
        out, _ = self.rnn(x)
        out = out.permute(1, 0, 2).reshape(batch, self.steps * self.hidden)
        return self.fc(out)


def train(loader, epochs=20):
    torch.manual_seed(11)
    model = ActivityRNN()
    opt = torch.optim.Adam(model.parameters(), lr=1e-3)
    ce = nn.CrossEntropyLoss()
    for e in range(epochs):
        for x, y in loader:
            opt.zero_grad()
            loss = ce(model(x), y)
            loss.backward()
            opt.step()
        print(e, loss.item())
    return model
