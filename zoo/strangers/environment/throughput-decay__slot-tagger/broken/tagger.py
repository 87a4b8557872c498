import torch.nn as nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence


class SlotTagger(nn.Module):
    def __init__(self, n_words, n_tags, dim=32, hidden=40, dropout=0.2):
        super().__init__()
        self.embed = nn.Embedding(n_words, dim, padding_idx=0)
        self.rnn = nn.LSTM(dim, hidden, batch_first=True, bidirectional=True)
        self.drop = nn.Dropout(dropout)
        self.mix = nn.Linear(2 * hidden, hidden)
        self.out = nn.Linear(hidden, n_tags)

    def forward(self, x):
        lengths = (x != 0).sum(1).cpu()
        packed = pack_padded_sequence(self.drop(self.embed(x)), lengths, batch_first=True, enforce_sorted=False)
        h, _ = pad_packed_sequence(self.rnn(packed)[0], batch_first=True, total_length=x.size(1))
        return self.out(self.drop(self.mix(h).tanh()))
