import torch


def train(model, loader, optimizer, criterion, scheduler, epochs, device="cuda", max_norm=1.0):
    scaler = torch.cuda.amp.GradScaler()
    for epoch in range(epochs):
        model.train()
        for x, y in loader:
            x, y = x.to(device, non_blocking=True), y.to(device, non_blocking=True)
            with torch.cuda.amp.autocast():
                loss = criterion(model(x), y)
            scaler.scale(loss).backward()
            scaler.unscale_(optimizer)
            torch.nn.utils.clip_grad_norm_(model.parameters(), max_norm)
            scaler.step(optimizer)
            scaler.update()
            optimizer.zero_grad(set_to_none=True)
        scheduler.step()
        print(epoch, loss.item(), scheduler.get_last_lr()[0])
