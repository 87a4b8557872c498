import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset


class StockLSTM(nn.Module):
    def __init__(self, n_features, hidden=64):
        super().__init__()
        self.lstm = nn.LSTM(n_features, hidden, num_layers=2, dropout=0.2)
        self.fc = nn.Linear(hidden, 1)

    def forward(self, x):
        # x: (batch, seq_len, n_features)
        out, _ = self.lstm(x)
        return self.fc(out[:, -1, :])


# X_train: (num_samples, 60, 5), y_train: (num_samples, 1)
train_loader = DataLoader(TensorDataset(X_train, y_train), batch_size=32, shuffle=True)
model = StockLSTM(n_features=5)
criterion = nn.MSELoss()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)

for epoch in range(100):
    model.train()
    for xb, yb in train_loader:
        optimizer.zero_grad()
        loss = criterion(model(xb), yb)
        loss.backward()
        optimizer.step()
    print(epoch, loss.item())
