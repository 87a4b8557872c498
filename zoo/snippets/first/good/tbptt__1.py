import torch
import torch.nn as nn


class StatefulLSTM(nn.Module):
    def __init__(self, n_in, hid, n_out):
        super().__init__()
        self.lstm = nn.LSTM(n_in, hid, batch_first=True)
        self.fc = nn.Linear(hid, n_out)
        self.state = None

    def reset(self):
        self.state = None

    def forward(self, x):
        out, (h, c) = self.lstm(x, self.state)
        self.state = (h.detach(), c.detach())
        return self.fc(out)


def train(model, recordings, chunk=100, epochs=10):
    opt = torch.optim.Adam(model.parameters(), lr=1e-3)
    for _ in range(epochs):
        for x, y in recordings:
            model.reset()
            for xc, yc in zip(x.split(chunk, dim=1), y.split(chunk, dim=1)):
                opt.zero_grad()
                loss = nn.functional.mse_loss(model(xc), yc)
                loss.backward()
                opt.step()
