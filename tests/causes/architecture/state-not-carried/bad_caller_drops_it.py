import torch
from torch import nn


class NoteModel(nn.Module):
    def __init__(self, notes):
        super().__init__()
        self.table = nn.Embedding(notes, 32)
        self.rnn = nn.LSTM(32, 128, batch_first=True)
        self.head = nn.Linear(128, notes)

    def forward(self, notes, state=None):
        hidden, state = self.rnn(self.table(notes), state)
        return self.head(hidden), state


def improvise(net, first, length):
    note, melody = torch.tensor([first]), [first]
    with torch.no_grad():
        while len(melody) < length:
            scores, state = net(note.unsqueeze(0))  # state-not-carried
            note = scores[0, -1].argmax(dim=-1, keepdim=True)
            melody.append(int(note))
    return melody
