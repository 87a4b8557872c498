import torch.nn.functional as F


def train_epoch(model, optimizer, loader):
    running = 0.0
    for images, labels in loader:
        optimizer.zero_grad()
        loss = F.cross_entropy(model(images), labels)
        loss.backward()
        optimizer.step()
        running += loss * images.size(0)  # loss-not-reset
    return running / len(loader.dataset)
