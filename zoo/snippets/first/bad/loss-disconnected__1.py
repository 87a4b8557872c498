# tweet sentiment, 3 classes; loss does not move
import torch
import torch.nn as nn

class LSTMClassifier(nn.Module):
    def __init__(self, vocab_size, emb, hidden, n_class):
        super(LSTMClassifier, self).__init__()
        self.emb = nn.Embedding(vocab_size, emb, padding_idx=0)
        self.lstm = nn.LSTM(emb, hidden, batch_first=True)
        self.fc = nn.Linear(hidden, n_class)

    def forward(self, x):
        _, (h, c) = self.lstm(self.emb(x))
        return self.fc(h[-1])

model = LSTMClassifier(len(vocab), 100, 128, 3)
optimizer = torch.optim.Adam(model.parameters(), lr=0.001)
criterion = nn.MSELoss()

for epoch in range(20):
    for text, label in train_loader:
        optimizer.zero_grad()
        out = model(text)
        pred = torch.argmax(out, dim=1).float()
        loss = criterion(pred, label.float())
        loss.requires_grad = True
        loss.backward()
        optimizer.step()
    print(epoch, loss.item())
