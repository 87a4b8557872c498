import torch


def train_one_epoch(epoch, model, loader, optimizer, criterion, scaler):
    model.train()
    for step, (img, tgt) in enumerate(loader):
        img, tgt = img.cuda(), tgt.cuda()
        with torch.cuda.amp.autocast():
            loss = criterion(model(img), tgt)
        scaler.scale(loss).backward()
        optimizer.zero_grad()
        scaler.step(optimizer)
        scaler.update()
        if step % 100 == 0:
            print(epoch, step, loss.item())
