model.eval()
tp = fp = fn = 0
with torch.inference_mode():
    for x, y in loader:
        p = torch.sigmoid(model(x)) > 0.35
        tp += (p & y.bool()).sum().item()
        fp += (p & ~y.bool()).sum().item()
        fn += (~p & y.bool()).sum().item()
print(2 * tp / (2 * tp + fp + fn))
