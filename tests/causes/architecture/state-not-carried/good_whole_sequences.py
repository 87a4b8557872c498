import torch
from torch import nn
from torch.utils.data import DataLoader

rnn = nn.GRU(8, 32, batch_first=True)
head = nn.Linear(32, 2)
opt = torch.optim.Adam([*rnn.parameters(), *head.parameters()])
X, y = torch.load("series.pt")

for xb, yb in DataLoader(torch.utils.data.TensorDataset(X, y), batch_size=32, shuffle=True):
    out, _ = rnn(xb)
    loss = nn.functional.cross_entropy(head(out[:, -1]), yb)
    opt.zero_grad()
    loss.backward()
    opt.step()

for i in range(0, len(X), 64):
    out, _ = rnn(X[i : i + 64])
    loss = nn.functional.cross_entropy(head(out[:, -1]), y[i : i + 64])
    opt.zero_grad()
    loss.backward()
    opt.step()

with torch.no_grad():
    for i in range(len(X)):
        out, _ = rnn(X[i].unsqueeze(0))
        print(head(out[:, -1]).argmax(1).item())
