def objective(trial):
    lr = trial.suggest_float("lr", 1e-5, 1e-1, log=True)
    net = make(trial.suggest_int("width", 16, 256))
    opt = torch.optim.Adam(net.parameters(), lr=lr)
    for epoch in range(10):
        net.train()
        for x, y in train_loader:
            opt.zero_grad()
            F.cross_entropy(net(x), y).backward()
            opt.step()
        net.eval()
        hits = 0
        with torch.no_grad():
            for x, y in val_loader:
                hits += (net(x).argmax(1) == y).sum().item()
        acc = hits / len(val_loader.dataset)
        trial.report(acc, epoch)
        if trial.should_prune():
            raise optuna.TrialPruned()
    return acc
study = optuna.create_study(direction="maximize")
study.optimize(objective, n_trials=50)
