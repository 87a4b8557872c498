import torch
from torch import nn


class Speller(nn.Module):
    """The decoder has the table's shape because it is the table: the projection fits the state to it."""

    def __init__(self, letters=30, width=32, memory=96):
        super().__init__()
        self.table = nn.Embedding(letters, width)
        self.rnn = nn.GRU(width, memory, batch_first=True)
        self.fit = nn.Linear(memory, width)
        self.decode = nn.Linear(width, letters)
        self.decode.weight = self.table.weight

    def forward(self, text):
        seen, _ = self.rnn(self.table(text))
        return self.decode(self.fit(seen))


torch.manual_seed(0)
model = Speller()
optimizer = torch.optim.Adam(model.parameters())
for _ in range(50):
    text = torch.randint(30, (8, 20))
    optimizer.zero_grad()
    nn.functional.cross_entropy(model(text[:, :-1]).flatten(0, 1), text[:, 1:].flatten()).backward()
    optimizer.step()
