import torch
import torch.nn as nn


class GatedEncoder(nn.Module):
    def __init__(self, d_in, d_hidden, d_out, threshold=0.1):
        super().__init__()
        self.value = nn.Linear(d_in, d_hidden)
        self.gate = nn.Linear(d_in, d_hidden)
        self.out = nn.Linear(d_hidden, d_out)
        self.threshold = threshold

    def forward(self, x):
        g = torch.sigmoid(self.gate(x))
        g.data[g.data < self.threshold] = 0.0
        return self.out(g * torch.tanh(self.value(x)))


def train(loader, epochs=25):
    torch.manual_seed(9)
    enc = GatedEncoder(64, 128, 10)
    opt = torch.optim.Adam(enc.parameters(), lr=1e-3)
    for _ in range(epochs):
        for x, y in loader:
            opt.zero_grad()
            loss = nn.functional.cross_entropy(enc(x), y)
            loss.backward()
            opt.step()
    return enc
