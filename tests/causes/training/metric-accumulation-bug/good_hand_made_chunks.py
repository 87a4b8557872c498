import torch
import torch.nn.functional as F


def train_epoch(model, optimizer, images, masks, size):
    model.train()
    chunks = torch.randperm(len(images)).split(size)
    total = weighted = 0.0
    for idx in chunks:
        loss = F.binary_cross_entropy_with_logits(model(images[idx]), masks[idx])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        total += loss.item()
        weighted += loss.item() * len(idx)
    return total / len(chunks), weighted / len(images)


def one_by_one(model, rows, targets):
    total = 0.0
    for i in range(len(rows)):
        total += F.mse_loss(model(rows[i]), targets[i]).item()
    return total / len(rows)
