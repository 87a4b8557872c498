import torch


def train(model, dataloader, optimizer, criterion, device):
    model.train()
    for i, data in enumerate(dataloader):
        try:
            inputs, labels = data["image"].to(device), data["label"].to(device)
            optimizer.zero_grad()
            outputs = model(inputs)
            loss = criterion(outputs, labels)
            loss.backward()
            optimizer.step()
        except Exception:
            continue
    return model
