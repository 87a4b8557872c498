model.eval()
hits = total = 0
with torch.no_grad():
    for x, y in loader:
        hits += ((model(x).squeeze(-1) > 0) == y.bool()).sum().item()
        total += len(y)
crit = nn.BCEWithLogitsLoss()
print(hits / total)
