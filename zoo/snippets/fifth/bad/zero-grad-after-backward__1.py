def train_one_epoch(loader, model, criterion, optimizer):
    model.train()
    losses = []
    for i, (img, target) in enumerate(loader):
        img, target = img.to(device), target.to(device)
        output = model(img)
        loss = criterion(output, target)
        loss.backward()
        optimizer.zero_grad()
        optimizer.step()
        losses.append(loss.item())
    return sum(losses) / len(losses)
