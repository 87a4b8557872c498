import copy
import torch


def fit(model, train_loader, val_loader, optimizer, scheduler, criterion, device, epochs):
    best = float("inf")
    best_state = copy.deepcopy(model.state_dict())
    for epoch in range(epochs):
        model.train()
        for x, y in train_loader:
            x, y = x.to(device), y.to(device)
            loss = criterion(model(x), y)
            loss.backward()
            optimizer.step()
            optimizer.zero_grad()

        model.eval()
        total, n = 0.0, 0
        with torch.inference_mode():
            for x, y in val_loader:
                x, y = x.to(device), y.to(device)
                total += criterion(model(x), y).item() * len(y)
                n += len(y)
        val = total / n
        scheduler.step(val)
        if val < best:
            best = val
            best_state = copy.deepcopy(model.state_dict())
    model.load_state_dict(best_state)
    return model, best


def make_optim(model):
    opt = torch.optim.Adam(model.parameters(), lr=1e-3)
    sched = torch.optim.lr_scheduler.ReduceLROnPlateau(opt, patience=3, factor=0.5)
    return opt, sched
