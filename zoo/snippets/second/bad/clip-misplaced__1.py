import torch
from torch.cuda.amp import GradScaler, autocast


def train_epoch(model, loader, optimizer, criterion, scaler, device, max_norm=1.0):
    model.train()
    total, n = 0.0, 0
    for src, tgt in loader:
        src, tgt = src.to(device), tgt.to(device)
        optimizer.zero_grad(set_to_none=True)
        with autocast():
            logits = model(src, tgt[:, :-1])
            loss = criterion(logits.reshape(-1, logits.size(-1)), tgt[:, 1:].reshape(-1))
        scaler.scale(loss).backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), max_norm)
        scaler.step(optimizer)
        scaler.update()
        total += loss.item() * src.size(0)
        n += src.size(0)
    return total / n


def main(model, train_loader, pad_id, epochs=20):
    device = torch.device("cuda")
    model.to(device)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-4, betas=(0.9, 0.98), eps=1e-9)
    criterion = torch.nn.CrossEntropyLoss(ignore_index=pad_id)
    scaler = GradScaler()
    for epoch in range(epochs):
        print(epoch, train_epoch(model, train_loader, optimizer, criterion, scaler, device))
