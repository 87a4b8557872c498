def train_epoch(model, loader, optimizer, criterion, epoch, args):
    model.train()
    total_loss = 0
    correct = 0
    for i, (imgs, targets) in enumerate(loader):
        imgs = imgs.cuda(non_blocking=True)
        targets = targets.cuda(non_blocking=True)

        out = model(imgs)
        loss = criterion(out, targets)

        optimizer.zero_grad()
        loss.backward()
        optimizer.step()

        total_loss += loss
        correct += (out.argmax(1) == targets).sum().item()

        if i % args.print_freq == 0:
            print('Epoch [{}] step {}/{} loss {:.4f}'.format(epoch, i, len(loader), loss.item()))

    return total_loss / len(loader), correct / len(loader.dataset)


for epoch in range(args.epochs):
    tr_loss, tr_acc = train_epoch(model, train_loader, optimizer, criterion, epoch, args)
    history['loss'].append(tr_loss)
    history['acc'].append(tr_acc)
