import torch
import torch.nn as nn


class SentimentLSTM(nn.Module):
    """Reviews are independent, every batch starts from a zero state."""

    def __init__(self, vocab, emb=100, hid=128, layers=2):
        super().__init__()
        self.hid, self.layers = hid, layers
        self.emb = nn.Embedding(vocab, emb, padding_idx=0)
        self.lstm = nn.LSTM(emb, hid, layers, batch_first=True, dropout=0.3)
        self.fc = nn.Linear(hid, 1)

    def init_hidden(self, b, device):
        z = torch.zeros(self.layers, b, self.hid, device=device)
        return z, z.clone()

    def forward(self, ids, lengths):
        h0 = self.init_hidden(ids.size(0), ids.device)
        out, _ = self.lstm(self.emb(ids), h0)
        last = out[torch.arange(ids.size(0), device=ids.device), lengths - 1]
        return self.fc(last).squeeze(1)
