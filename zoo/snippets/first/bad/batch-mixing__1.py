import torch
import torch.nn as nn


class ActivityRNN(nn.Module):
    def __init__(self, n_feat=9, hidden=64, n_classes=6):
        super().__init__()
        self.lstm = nn.LSTM(n_feat, hidden, num_layers=2)
        self.fc = nn.Linear(hidden, n_classes)

    def forward(self, x):
        # x: (batch, time, features), the LSTM wants (time, batch, features)
        b, t, f = x.size()
        x = x.view(t, b, f)
        out, _ = self.lstm(x)
        return self.fc(out[-1])


net = ActivityRNN()
opt = torch.optim.Adam(net.parameters(), lr=0.0025)
loss_fn = nn.CrossEntropyLoss()
for epoch in range(40):
    for windows, activity in har_loader:
        opt.zero_grad()
        loss = loss_fn(net(windows), activity)
        loss.backward()
        opt.step()
