val_loss, n = 0.0, 0
model.eval()
with torch.no_grad():
    for x, y in val_loader:
        out = model(x)
        val_loss += F.cross_entropy(out, y).item() * x.size(0)
        n += 1
print("val loss", val_loss / len(val_loader))
