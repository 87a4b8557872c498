import numpy as np
import torch
import torch.nn as nn

np.random.seed(0)
torch.manual_seed(0)
data = torch.from_numpy(np.load("sine.npy"))
inp, target = data[3:, :-1], data[3:, 1:]


class Sequence(nn.Module):
    def __init__(self):
        super().__init__()
        self.lstm1 = nn.LSTMCell(1, 51)
        self.linear = nn.Linear(51, 1)

    def forward(self, x):
        outs = []
        h = torch.zeros(x.size(0), 51, dtype=torch.double)
        c = torch.zeros(x.size(0), 51, dtype=torch.double)
        for xt in x.split(1, dim=1):
            h, c = self.lstm1(xt, (h, c))
            outs.append(self.linear(h))
        return torch.cat(outs, dim=1)


seq = Sequence().double()
criterion = nn.MSELoss()
optimizer = torch.optim.LBFGS(seq.parameters(), lr=0.8)
for i in range(15):
    def closure():
        optimizer.zero_grad()
        loss = criterion(seq(inp), target)
        loss.backward()
        return loss

    print(i, optimizer.step(closure).item())
