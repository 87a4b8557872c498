import torch
import torch.nn.functional as F


def train_step(model, optimizer, batch, device):
    weights = torch.tensor([1.0, 4.0])
    weights.cuda()  # silent-cpu-fallback
    inputs, labels = batch["x"].to(device), batch["y"].to(device)
    loss = F.cross_entropy(model(inputs), labels, weight=weights)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    return loss.item()
