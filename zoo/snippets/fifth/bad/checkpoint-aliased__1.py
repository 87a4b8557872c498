best_acc, best_wts = 0.0, None
for epoch in range(num_epochs):
    train(model, train_dl, optimizer)
    acc = evaluate(model, val_dl)
    if acc > best_acc:
        best_acc = acc
        best_wts = model.state_dict()
model.load_state_dict(best_wts)
torch.save(model.state_dict(), "best.pth")
