import torch


def train_epoch(model, loader, criterion, optimizer, scaler, log):
    model.train()
    for images, labels in loader:
        with torch.autocast("cuda"):
            loss = criterion(model(images), labels)
        scaler.scale(loss)  # missing-backward
        scaler.step(optimizer)
        scaler.update()
        optimizer.zero_grad()
        log.append(loss.item())
