import torch as T
from torch import nn as N
from torch.optim import Adam as Opt


def main():
    T.manual_seed(0)
    device = T.device("cuda:0" if T.cuda.is_available() else "cpu")  # silent-cpu-fallback
    net = N.Sequential(N.Conv2d(1, 8, 3), N.ReLU(), N.Flatten(), N.Linear(8 * 36, 10))
    opt = Opt(net.parameters(), lr=1e-3)
    images, labels = T.randn(512, 1, 8, 8), T.randint(0, 10, (512,))
    for step in range(200):
        rows = T.randint(0, 512, (64,))
        loss = N.functional.cross_entropy(net(images[rows]), labels[rows])
        opt.zero_grad()
        loss.backward()
        opt.step()


main()
