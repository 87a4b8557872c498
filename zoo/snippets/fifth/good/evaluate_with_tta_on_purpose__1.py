model.eval()
correct = total = 0
with torch.no_grad():
    for x, y in test_loader:
        p = (model(x).softmax(1) + model(x.flip(-1)).softmax(1)) / 2
        correct += (p.argmax(1) == y).sum().item()
        total += y.size(0)
print(correct / total)
