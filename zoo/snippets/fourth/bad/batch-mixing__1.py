import torch.nn as nn


class Sentiment(nn.Module):
    def __init__(self, vocab):
        super().__init__()
        self.emb = nn.Embedding(vocab, 100)
        self.lstm = nn.LSTM(100, 64)
        self.fc = nn.Linear(64, 2)

    def forward(self, tokens):  # tokens: (batch, length)
        out, _ = self.lstm(self.emb(tokens))
        return self.fc(out[:, -1, :])
