import torch

scaler = torch.cuda.amp.GradScaler()
for x, y in loader:
    opt.zero_grad()
    with torch.cuda.amp.autocast():
        loss = crit(model(x), y)
    scaler.scale(loss).backward()
    torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    scaler.step(opt)
    scaler.update()
