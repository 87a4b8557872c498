import torch


def search(model, opt, crit, train_dl, val_dl, epochs=50):
    best_loss, best_wts = 1e9, model.state_dict()
    for e in range(epochs):
        model.train()
        for x, y in train_dl:
            opt.zero_grad()
            crit(model(x), y).backward()
            opt.step()
        model.eval()
        with torch.no_grad():
            vl = sum(crit(model(x), y).item() for x, y in val_dl) / len(val_dl)
        if vl < best_loss:
            best_loss = vl
            best_wts = model.state_dict()
    model.load_state_dict(best_wts)
    return model
