import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset


class Chunks(Dataset):
    def __init__(self, tokens, length):
        self.tokens, self.length = tokens, length

    def __len__(self):
        return len(self.tokens) // self.length

    def __getitem__(self, i):
        start = i * self.length
        part = self.tokens[start : start + self.length + 1]
        return part[:-1], part[1:]


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.rnn, self.out = nn.GRU(8, 16, batch_first=True), nn.Linear(16, 50)

    def forward(self, x, state):
        h, state = self.rnn(x, state)
        return self.out(h), state


net = Net()
opt = torch.optim.Adam(net.parameters())
loader = DataLoader(Chunks(torch.load("tokens.pt"), 35), batch_size=20, shuffle=False)
for epoch in range(4):
    state = None
    for x, y in loader:
        opt.zero_grad()
        logits, state = net(x, state)
        state = state.detach()
        loss = nn.functional.cross_entropy(logits.flatten(0, 1), y.flatten())
        loss.backward()
        opt.step()
