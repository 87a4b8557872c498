import torch
from torch import nn


class Reader(nn.Module):
    def __init__(self):
        super().__init__()
        self.rnn = nn.LSTM(13, 64, bidirectional=True)
        self.head = nn.Linear(128, 29)

    def forward(self, frames):
        return self.head(self.rnn(frames)[0]).log_softmax(dim=-1)


def train(loader):
    reader = Reader()
    criterion = nn.CTCLoss(blank=0)
    optimizer = torch.optim.Adam(reader.parameters(), lr=1e-3)
    for frames, words, frame_counts, word_counts in loader:
        optimizer.zero_grad()
        loss = criterion(reader(frames), words, frame_counts, word_counts)
        loss.backward()
        optimizer.step()
