import torch
import torch.nn as nn


class CharRNN(nn.Module):
    def __init__(self, vocab_size, hidden_size=256, n_layers=2):
        super().__init__()
        self.embed = nn.Embedding(vocab_size, hidden_size)
        self.rnn = nn.GRU(hidden_size, hidden_size, n_layers, batch_first=True)
        self.fc = nn.Linear(hidden_size, vocab_size)

    def forward(self, x, h):
        out, h = self.rnn(self.embed(x), h)
        return self.fc(out), h


model = CharRNN(vocab_size)
optimizer = torch.optim.Adam(model.parameters(), lr=0.002)
criterion = nn.CrossEntropyLoss()

for epoch in range(20):
    h = torch.zeros(2, batch_size, 256)
    for x, y in get_batches(encoded, batch_size, seq_length):
        optimizer.zero_grad()
        output, h = model(x, h)
        loss = criterion(output.reshape(-1, vocab_size), y.reshape(-1))
        loss.backward(retain_graph=True)
        nn.utils.clip_grad_norm_(model.parameters(), 5)
        optimizer.step()
    print('epoch', epoch, 'loss', loss.item())
