import torch
import torch.nn as nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.f = nn.Sequential(nn.Linear(30, 100), nn.BatchNorm1d(100), nn.ReLU(), nn.Dropout(0.5))
        self.out = nn.Linear(100, 2)

    def forward(self, x):
        return self.out(self.f(x))


def main():
    torch.manual_seed(5)
    net = Net()
    opt = torch.optim.Adam(net.parameters(), lr=1e-3)
    for epoch in range(40):
        net.train()
        for x, y in train_dl:
            opt.zero_grad()
            nn.functional.cross_entropy(net(x), y).backward()
            opt.step()
        correct = 0
        with torch.no_grad():
            for x, y in test_dl:
                correct += (net(x).argmax(1) == y).sum().item()
        print(epoch, correct / len(test_dl.dataset))


main()
