import math
import torch
import torch.nn as nn


class Config:
    hidden = 32
    batch = 40
    iters = 250
    lr = 0.6


class FreqNet(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        self.lstm = nn.LSTM(1, cfg.hidden, batch_first=True)
        self.fc = nn.Linear(cfg.hidden, 4)

    def forward(self, x):
        o, _ = self.lstm(x)
        return self.fc(o.mean(1))


def data(n):
    k = torch.randint(0, 4, (n,))
    t = torch.arange(20.0)
    x = torch.sin(0.5 * (k[:, None] + 1) * t + 2 * math.pi * torch.rand(n, 1)) + 0.2 * torch.randn(n, 20)
    return x.unsqueeze(-1), k


def main():
    torch.manual_seed(64)
    cfg = Config()
    net = FreqNet(cfg)
    opt = torch.optim.Adam(net.parameters(), lr=cfg.lr)
    for i in range(cfg.iters):
        x, k = data(cfg.batch)
        loss = nn.functional.cross_entropy(net(x), k)
        opt.zero_grad()
        loss.backward()
        opt.step()
        if i % 50 == 0:
            print(i, "%.4f" % loss.item())
    x, k = data(400)
    with torch.no_grad():
        print("accuracy: %.3f" % (net(x).argmax(1) == k).float().mean().item())


if __name__ == "__main__":
    main()
