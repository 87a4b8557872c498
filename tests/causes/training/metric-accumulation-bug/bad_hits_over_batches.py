import torch

correct = 0
model.eval()
with torch.no_grad():
    for inputs, labels in test_loader:
        predicted = model(inputs).argmax(dim=1)
        correct += (predicted == labels).sum().item()
accuracy = 100 * correct / len(test_loader)  # metric-accumulation-bug
print(accuracy)
