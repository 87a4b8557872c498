import torch
from torch import nn

model = nn.Sequential(nn.Linear(10, 30), nn.ReLU(), nn.Linear(30, 2))
opt = torch.optim.Adam(model.parameters())
criterion = nn.CrossEntropyLoss()
for epoch in range(10):
    model.train()
    for x, y in train_loader:
        opt.zero_grad()
        criterion(model(x), y).backward()
        opt.step()
    model.eval()
    val_loss = 0
    for x, y in val_loader:
        val_loss += criterion(model(x), y)  # eval-without-no-grad
    print(val_loss / len(val_loader))
