import torch
import torch.nn as nn


class CharRNN(nn.Module):
    def __init__(self, n_chars, h=256):
        super().__init__()
        self.emb = nn.Embedding(n_chars, 64)
        self.lstm = nn.LSTM(64, h, num_layers=2, batch_first=True)
        self.fc = nn.Linear(h, n_chars)

    def forward(self, x, state=None):
        o, state = self.lstm(self.emb(x), state)
        return self.fc(o), state


def train(model, chunks, epochs=20):
    opt = torch.optim.Adam(model.parameters(), lr=2e-3)
    ce = nn.CrossEntropyLoss()
    for epoch in range(epochs):
        state = None
        for x, y in chunks:
            opt.zero_grad()
            logits, state = model(x, state)
            loss = ce(logits.flatten(0, 1), y.flatten())
            loss.backward(retain_graph=True)
            opt.step()
