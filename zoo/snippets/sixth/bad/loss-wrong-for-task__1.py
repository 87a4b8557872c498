import torch
import torch.nn as nn


class BinaryNet(nn.Module):
    def __init__(self, n_features):
        super().__init__()
        self.layer1 = nn.Linear(n_features, 64)
        self.layer2 = nn.Linear(64, 64)
        self.out = nn.Linear(64, 1)
        self.bn1 = nn.BatchNorm1d(64)

    def forward(self, x):
        x = torch.relu(self.layer1(x))
        x = self.bn1(x)
        x = torch.relu(self.layer2(x))
        return self.out(x)


model = BinaryNet(12).to(device)
criterion = nn.CrossEntropyLoss()
optimizer = torch.optim.Adam(model.parameters(), lr=0.001)

model.train()
for e in range(1, EPOCHS + 1):
    epoch_loss = 0
    for X_batch, y_batch in train_loader:
        X_batch, y_batch = X_batch.to(device), y_batch.to(device)
        optimizer.zero_grad()
        y_pred = model(X_batch)
        loss = criterion(y_pred, y_batch.float().unsqueeze(1))
        loss.backward()
        optimizer.step()
        epoch_loss += loss.item()
    print(f'Epoch {e+0:03}: | Loss: {epoch_loss/len(train_loader):.5f}')
