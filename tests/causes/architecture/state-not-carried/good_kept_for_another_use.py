import torch
from torch import nn

torch.manual_seed(0)


class Reader(nn.Module):
    def __init__(self):
        super().__init__()
        self.rnn = nn.GRU(4, 16, batch_first=True)
        self.out = nn.Linear(16, 2)

    def forward(self, x, state=None):
        seen, state = self.rnn(x, state)
        return self.out(seen), state


model = Reader()
optimizer = torch.optim.Adam(model.parameters())
stream, marks = torch.randn(8, 640, 4), torch.randint(2, (8, 640))
last = []
for epoch in range(5):
    for x, y in zip(stream.split(16, dim=1), marks.split(16, dim=1)):
        memory = None
        scores, memory = model(x, memory)
        loss = nn.functional.cross_entropy(scores.flatten(0, 1), y.flatten())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        memory = memory.detach()
        last.append(memory)
