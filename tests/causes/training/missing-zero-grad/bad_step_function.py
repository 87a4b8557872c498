import torch.nn.functional as F


def train_step(model, optimizer, batch):
    model.train()
    images, labels = batch
    loss = F.cross_entropy(model(images), labels)
    loss.backward()  # missing-zero-grad
    optimizer.step()
    return loss.item()
