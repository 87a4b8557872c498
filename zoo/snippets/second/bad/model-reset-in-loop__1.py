import torch
import torch.nn as nn
from torch.utils.data import DataLoader


class CharRNN(nn.Module):
    def __init__(self, n_chars, hidden=256):
        super().__init__()
        self.emb = nn.Embedding(n_chars, 64)
        self.rnn = nn.LSTM(64, hidden, num_layers=2, batch_first=True, dropout=0.3)
        self.fc = nn.Linear(hidden, n_chars)

    def forward(self, x):
        y, _ = self.rnn(self.emb(x))
        return self.fc(y)


net = CharRNN(n_chars).to(device)
criterion = nn.CrossEntropyLoss()
loader = DataLoader(dataset, batch_size=64, shuffle=True)

for epoch in range(1, 51):
    net.train()
    for inputs, targets in loader:
        inputs, targets = inputs.to(device), targets.to(device)
        optimizer = torch.optim.Adam(net.parameters(), lr=0.002)
        optimizer.zero_grad()
        out = net(inputs)
        loss = criterion(out.reshape(-1, n_chars), targets.reshape(-1))
        loss.backward()
        nn.utils.clip_grad_norm_(net.parameters(), 5.0)
        optimizer.step()
    print(f"epoch {epoch:2d} | loss {loss.item():.3f}")
