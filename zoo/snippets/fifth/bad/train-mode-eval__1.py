model = models.resnet18(num_classes=2)
model.load_state_dict(torch.load("best.pt"))
model.to(device)

# accuracy changes every time I run this and depends on the batch size
n_ok = n = 0
with torch.no_grad():
    for x, y in test_loader:
        logits = model(x.to(device))
        n_ok += (logits.argmax(1).cpu() == y).sum().item()
        n += len(y)
print("test acc", n_ok / n)
