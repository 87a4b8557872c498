import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Binary(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.inner = nn.Linear(width, 32)
        self.out = nn.Linear(32, 1)

    def forward(self, x):
        return self.out(F.relu(self.inner(x))).squeeze(1)


def main():
    data = TensorDataset(torch.randn(200, 8), torch.randint(0, 2, (200,)).float())
    net = Binary(8)
    opt = torch.optim.Adam(net.parameters())
    for xb, yb in DataLoader(data, batch_size=20, shuffle=True):
        loss = F.cross_entropy(net(xb), yb)  # loss-wrong-for-task
        opt.zero_grad()
        loss.backward()
        opt.step()


if __name__ == "__main__":
    main()
