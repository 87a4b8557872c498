import torch
import torch.nn as nn

class Encoder(nn.Module):
    def __init__(self, vocab_size, d_model):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, d_model)
        self.gru = nn.GRU(d_model, d_model, batch_first=True)

    def forward(self, x):
        return self.gru(self.embedding(x))

encoder = Encoder(8000, 256)
optimizer = torch.optim.Adam(encoder.parameters(), lr=1e-3)

for epoch in range(10):
    for src, tgt in loader:
        optimizer.zero_grad()
        out, h = encoder(src)
        # decoder comes here
        logits = decoder(tgt[:, :-1], h
