import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

ROWS, ACCUM = 600, 8
data = TensorDataset(torch.randn(ROWS, 16), torch.randint(0, 3, (ROWS,)))


def main():
    torch.manual_seed(1)
    loader = DataLoader(data, 50, shuffle=True, drop_last=True)
    net = nn.Linear(16, 3)
    opt = torch.optim.SGD(net.parameters(), lr=0.1)
    for epoch in range(10):
        for n, (x, y) in enumerate(loader, start=1):
            (F.cross_entropy(net(x), y) / ACCUM).backward()
            if n % ACCUM == 0:  # accumulation-unscaled
                opt.step()
                opt.zero_grad(set_to_none=True)
        opt.zero_grad(set_to_none=True)


main()
