import torch


def adjust_learning_rate(optimizer, epoch, base_lr):
    """Decays by ten every 30 epochs."""
    lr = base_lr * (0.1 ** (epoch // 30))
    for group in optimizer.param_groups:
        group['lr'] = lr


def main(args, model, train_loader, val_loader):
    criterion = torch.nn.CrossEntropyLoss().cuda()
    optimizer = torch.optim.SGD(model.parameters(), args.lr, momentum=0.9, weight_decay=1e-4)
    best_acc1 = 0
    for epoch in range(args.epochs):
        adjust_learning_rate(optimizer, epoch, args.lr)
        train(train_loader, model, criterion, optimizer)
        acc1 = validate(val_loader, model)
        if acc1 > best_acc1:
            best_acc1 = acc1
            torch.save({'epoch': epoch + 1, 'state_dict': model.state_dict(), 'optimizer': optimizer.state_dict()},
                       'model_best.pth.tar')


def train(loader, model, criterion, optimizer):
    model.train()
    for x, y in loader:
        x, y = x.cuda(non_blocking=True), y.cuda(non_blocking=True)
        loss = criterion(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


def validate(loader, model):
    model.eval()
    ok = n = 0
    with torch.no_grad():
        for x, y in loader:
            ok += (model(x.cuda()).argmax(1).cpu() == y).sum().item()
            n += y.size(0)
    return ok / n
