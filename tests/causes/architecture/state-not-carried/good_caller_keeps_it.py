import torch
from torch import nn


class NoteModel(nn.Module):
    def __init__(self, notes):
        super().__init__()
        self.table = nn.Embedding(notes, 32)
        self.rnn = nn.GRU(32, 128, batch_first=True)
        self.head = nn.Linear(128, notes)

    def forward(self, notes, state=None):
        hidden, state = self.rnn(self.table(notes), state)
        return self.head(hidden), state


@torch.no_grad()
def improvise(net, first, length):
    note, melody, state = torch.tensor([[first]]), [first], None
    for _ in range(length):
        scores, state = net(note, state)
        note = torch.multinomial(scores[0, -1].softmax(-1), 1)[None]
        melody.append(int(note))
    return melody


@torch.no_grad()
def from_the_whole_past(net, notes, length):
    for _ in range(length):
        scores, _ = net(notes)
        following = scores[:, -1:].argmax(-1)
        notes = torch.cat([notes, following], dim=1)
    return notes


def fit(net, batches, opt):
    for x, y in batches:
        scores, _ = net(x)
        opt.zero_grad()
        nn.functional.cross_entropy(scores.flatten(0, 1), y.flatten()).backward()
        opt.step()
