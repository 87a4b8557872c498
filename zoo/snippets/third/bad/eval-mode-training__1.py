import torch
from torch import nn

model = nn.Sequential(nn.Conv2d(1, 16, 3), nn.BatchNorm2d(16), nn.ReLU(), nn.Flatten(), nn.Dropout(0.3), nn.Linear(16 * 676, 10))
optimizer = torch.optim.Adam(model.parameters())
criterion = nn.CrossEntropyLoss()
model.train()
for epoch in range(12):
    for step, (x, y) in enumerate(train_loader):
        optimizer.zero_grad()
        loss = criterion(model(x), y)
        loss.backward()
        optimizer.step()
        if step % 200 == 199:
            model.eval()
            with torch.no_grad():
                hits = sum((model(a).argmax(1) == b).sum().item() for a, b in val_loader)
            print(epoch, step, hits / len(val_loader.dataset))
