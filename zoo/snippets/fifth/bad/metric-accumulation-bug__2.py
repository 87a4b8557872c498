correct = 0
for epoch in range(10):
    model.eval()
    with torch.no_grad():
        for x, y in test_loader:
            correct += (model(x).argmax(1) == y).sum().item()
    print(epoch, correct / len(test_loader.dataset))
