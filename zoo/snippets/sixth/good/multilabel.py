import torch
import torch.nn as nn
from sklearn.metrics import f1_score

criterion = nn.BCEWithLogitsLoss(pos_weight=pos_weight)


def evaluate(model, loader):
    model.eval()
    all_preds, all_targets = [], []
    with torch.no_grad():
        for images, targets in loader:
            logits = model(images.to(device))
            probs = torch.sigmoid(logits)
            all_preds.append((probs > 0.5).cpu())
            all_targets.append(targets)
    preds = torch.cat(all_preds).numpy()
    targets = torch.cat(all_targets).numpy()
    return f1_score(targets, preds, average='macro')


for epoch in range(epochs):
    model.train()
    for images, targets in train_loader:
        optimizer.zero_grad()
        loss = criterion(model(images.to(device)), targets.float().to(device))
        loss.backward()
        optimizer.step()
    print(epoch, evaluate(model, val_loader))
