import torch
import torch.nn as nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc1 = nn.Linear(20, 50)
        self.drop = nn.Dropout(0.3)
        self.fc2 = nn.Linear(50, 2)

    def forward(self, x):
        return self.fc2(self.drop(torch.relu(self.fc1(x))))


def evaluate(model, loader):
    model.eval()
    with torch.no_grad():
        return sum((model(x).argmax(1) == y).sum().item() for x, y in loader)


model = Net()
optimizer = torch.optim.Adam(model.parameters())
model.train()
for epoch in range(10):
    for x, y in train_loader:
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(model(x), y)  # eval-mode-training
        loss.backward()
        optimizer.step()
    print(evaluate(model, val_loader))
