from torch.optim.lr_scheduler import ReduceLROnPlateau


def plan(optimizer, mode):
    return ReduceLROnPlateau(optimizer, mode=mode)


def fit(model, optimizer, config, loader):
    scheduler = plan(optimizer, config.mode)
    for epoch in range(config.epochs):
        val_loss, val_acc = run(model, loader)
        scheduler.step(val_acc if config.mode == "max" else val_loss)
