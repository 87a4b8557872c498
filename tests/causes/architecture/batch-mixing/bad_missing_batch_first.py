import torch.nn as N


class Sentiment(N.Module):
    def __init__(self, vocab_size, dim=64, hidden=128):
        super().__init__()
        self.embedding = N.Embedding(vocab_size, dim)
        self.lstm = N.LSTM(dim, hidden)  # batch-mixing
        self.fc = N.Linear(hidden, 2)

    def forward(self, text):
        out, (h, c) = self.lstm(self.embedding(text))
        return self.fc(out[:, -1, :])
