import torch as T
import torch.nn as N
from helpers import seed_everything
from torch.optim import AdamW as Opt


class Net(N.Module):
    def __init__(self):
        super().__init__()
        self.layers = N.Sequential(N.Linear(20, 64), N.ReLU(), N.Linear(64, 1))

    def forward(self, x):
        return self.layers(x)


def main():
    seed_everything(1)
    net = Net()
    opt = Opt(net.parameters(), lr=1e-3)
    x = T.randn(512, 20)
    y = x.sum(dim=1, keepdim=True)
    for step in range(500):
        rows = T.randint(0, 512, (64,))
        loss = N.functional.mse_loss(net(x[rows]), y[rows])
        opt.zero_grad()
        loss.backward()
        opt.step()


if __name__ == "__main__":
    main()
