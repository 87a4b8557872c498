import torch
import torch.nn as nn
from torch.cuda import amp


def train_fn(data_loader, model, optimizer, scheduler, device):
    model.train()
    scaler = amp.GradScaler()
    loss_fn = nn.BCEWithLogitsLoss()
    fin = []
    for d in data_loader:
        ids = d["ids"].to(device, dtype=torch.long)
        mask = d["mask"].to(device, dtype=torch.long)
        targets = d["targets"].to(device, dtype=torch.float)

        optimizer.zero_grad()
        with amp.autocast():
            outputs = model(ids=ids, mask=mask)
            loss = loss_fn(outputs, targets.view(-1, 1))
        scaler.scale(loss)
        scaler.step(optimizer)
        scaler.update()
        scheduler.step()
        fin.append(loss.item())
    return sum(fin) / len(fin)
