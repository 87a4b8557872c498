class SentimentLSTM(nn.Module):
    def __init__(self, vocab_size, emb_dim=100, hidden=128, n_classes=2):
        super().__init__()
        self.emb = nn.Embedding(vocab_size, emb_dim, padding_idx=0)
        self.lstm = nn.LSTM(emb_dim, hidden, batch_first=True, bidirectional=True)
        self.dropout = nn.Dropout(0.3)
        self.fc = nn.Linear(2 * hidden, n_classes)

    def forward(self, text, lengths):
        x = self.emb(text)
        packed = nn.utils.rnn.pack_padded_sequence(x, lengths.cpu(), batch_first=True, enforce_sorted=False)
        _, (h, _) = self.lstm(packed)
        h = torch.cat([h[-2], h[-1]], dim=1)
        return self.fc(self.dropout(h))


model = SentimentLSTM(len(vocab)).to(device)
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
criterion = nn.CrossEntropyLoss()

for epoch in range(5):
    model.train()
    for text, lengths, label in train_iter:
        text, label = text.to(device), label.to(device)
        optimizer.zero_grad()
        loss = criterion(model(text, lengths), label)
        loss.backward()
        optimizer.step()
