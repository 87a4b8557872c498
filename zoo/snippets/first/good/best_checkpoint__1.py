import copy
import torch
import torch.nn.functional as F


def train(model, train_loader, val_loader, epochs=100, patience=7):
    opt = torch.optim.AdamW(model.parameters(), lr=1e-3)
    best, best_state, bad = float("inf"), None, 0
    for epoch in range(epochs):
        model.train()
        for x, y in train_loader:
            opt.zero_grad()
            F.cross_entropy(model(x), y).backward()
            opt.step()
        model.eval()
        with torch.no_grad():
            v = sum(F.cross_entropy(model(x), y, reduction="sum").item() for x, y in val_loader) / len(val_loader.dataset)
        if v < best:
            best, bad = v, 0
            best_state = {k: t.detach().cpu().clone() for k, t in model.state_dict().items()}
        else:
            bad += 1
            if bad > patience:
                break
    model.load_state_dict(best_state)
    return model, best


def ensemble(models):
    return [copy.deepcopy(m).eval() for m in models]
