import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.lstm = nn.LSTM(4, 32)
        self.fc = nn.Linear(32, 1)
        self.reset()

    def reset(self):
        self.hidden = (torch.zeros(1, 8, 32), torch.zeros(1, 8, 32))

    def forward(self, x):
        out, self.hidden = self.lstm(x, self.hidden)
        return self.fc(out)


net = Net()
opt = torch.optim.Adam(net.parameters())
ema = 0.0
for x, y in loader:
    net.reset()
    loss = nn.functional.mse_loss(net(x), y)
    ema = 0.9 * ema + 0.1 * loss.item()
    opt.zero_grad()
    loss.backward()
    opt.step()
