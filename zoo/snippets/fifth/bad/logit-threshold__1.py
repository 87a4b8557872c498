criterion = nn.BCEWithLogitsLoss()
model = nn.Sequential(nn.Linear(11, 64), nn.ReLU(), nn.Linear(64, 1))

def evaluate(model, loader):
    model.eval()
    correct = total = 0
    with torch.no_grad():
        for x, y in loader:
            out = model(x).squeeze(1)
            pred = (out > 0.5).float()
            correct += (pred == y).sum().item()
            total += y.numel()
    return correct / total

for epoch in range(30):
    model.train()
    for x, y in train_loader:
        optimizer.zero_grad()
        loss = criterion(model(x).squeeze(1), y)
        loss.backward()
        optimizer.step()
    print(evaluate(model, val_loader))
