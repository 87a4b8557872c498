import torch
import torch.nn as nn
import torchvision.models as models

model = models.densenet121(weights="IMAGENET1K_V1")
model.classifier = nn.Linear(1024, 14)  # 14 chest x-ray findings
model = model.cuda()

criterion = nn.BCEWithLogitsLoss()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-4)


def validate(val_loader):
    model.eval()
    tp = fp = fn = 0
    with torch.no_grad():
        for x, y in val_loader:
            x, y = x.cuda(), y.cuda()
            output = model(x)
            pred = (output > 0.5).float()
            tp += (pred * y).sum().item()
            fp += (pred * (1 - y)).sum().item()
            fn += ((1 - pred) * y).sum().item()
    return 2 * tp / max(2 * tp + fp + fn, 1)


for epoch in range(10):
    model.train()
    for x, y in train_loader:
        x, y = x.cuda(), y.cuda().float()
        optimizer.zero_grad()
        loss = criterion(model(x), y)
        loss.backward()
        optimizer.step()
    print("epoch", epoch, "F1", validate(val_loader))
