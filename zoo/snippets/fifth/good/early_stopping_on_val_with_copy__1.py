import copy
best, best_state, wait = float("inf"), None, 0
for epoch in range(200):
    model.train()
    for x, y in train_loader:
        opt.zero_grad()
        loss = crit(model(x), y)
        loss.backward()
        opt.step()
    model.eval()
    with torch.no_grad():
        v = sum(crit(model(x), y).item() * len(x) for x, y in val_loader) / len(val_loader.dataset)
    if v < best:
        best, best_state, wait = v, copy.deepcopy(model.state_dict()), 0
    else:
        wait += 1
        if wait == 10:
            break
model.load_state_dict(best_state)
