import torch
import torch.nn as nn

model = nn.Sequential(
    nn.Linear(30, 16),
    nn.ReLU(),
    nn.Linear(16, 1)
)
criterion = nn.BCEWithLogitsLoss()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)

for epoch in range(50):
    model.train()
    for X, y in train_loader:
        optimizer.zero_grad()
        logits = model(X).squeeze(1)
        loss = criterion(logits, y.float())
        loss.backward()
        optimizer.step()

    model.eval()
    correct = 0
    total = 0
    with torch.no_grad():
        for X, y in test_loader:
            outputs = model(X).squeeze(1)
            preds = (outputs > 0.5).long()
            correct += (preds == y).sum().item()
            total += y.size(0)
    print('epoch', epoch, 'acc', correct / total)
