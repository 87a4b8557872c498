import numpy as np
import torch
import torch.nn as nn

np.random.seed(0)
torch.manual_seed(0)


class Sequence(nn.Module):
    def __init__(self):
        super().__init__()
        self.lstm1 = nn.LSTMCell(1, 51)
        self.lstm2 = nn.LSTMCell(51, 51)
        self.linear = nn.Linear(51, 1)

    def forward(self, x, future=0):
        outs = []
        h1 = c1 = torch.zeros(x.size(0), 51, dtype=x.dtype)
        h2 = c2 = torch.zeros(x.size(0), 51, dtype=x.dtype)
        for step in x.split(1, dim=1):
            h1, c1 = self.lstm1(step, (h1, c1))
            h2, c2 = self.lstm2(h1, (h2, c2))
            out = self.linear(h2)
            outs.append(out)
        for _ in range(future):
            h1, c1 = self.lstm1(out, (h1, c1))
            h2, c2 = self.lstm2(h1, (h2, c2))
            out = self.linear(h2)
            outs.append(out)
        return torch.cat(outs, dim=1)


data = torch.load("traindata.pt")
inp = torch.from_numpy(data[3:, :-1])
target = torch.from_numpy(data[3:, 1:])
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
    with torch.no_grad():
        pred = seq(inp[:1], future=1000)
