import torch

scaler = torch.amp.GradScaler("cuda", enabled=use_amp)
for x, y in loader:
    optimizer.zero_grad()
    with torch.autocast("cuda", enabled=use_amp):
        loss = criterion(model(x), y)
    if use_amp:
        scaler.scale(loss).backward()
        scaler.unscale_(optimizer)
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        scaler.step(optimizer)
        scaler.update()
    else:
        loss.backward()
        if max_norm is not None:
            torch.nn.utils.clip_grad_norm_(model.parameters(), max_norm)
        optimizer.step()
