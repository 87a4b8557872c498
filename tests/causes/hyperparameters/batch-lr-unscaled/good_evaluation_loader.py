import torch
from torch import nn
from torch.utils.data import DataLoader


def run_epoch(model, loader, optimizer=None):
    total = 0.0
    for x, y in loader:
        loss = nn.functional.cross_entropy(model(x), y)
        if optimizer is not None:
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        total += loss.item()
    return total / len(loader)


train_set, test_set = torch.load("sets.pt")
train_loader = DataLoader(train_set, batch_size=32, shuffle=True)
test_loader = DataLoader(test_set, batch_size=1024)
model = nn.Linear(10, 3)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for epoch in range(5):
    model.train()
    run_epoch(model, train_loader, optimizer)
    model.eval()
    with torch.no_grad():
        run_epoch(model, test_loader)
