import torch


@torch.no_grad()
def validate(model, val_loader, criterion, device):
    model.eval()
    val_loss = 0.0
    correct = 0
    for data, target in val_loader:
        data, target = data.to(device), target.to(device)
        output = model(data)
        val_loss += criterion(output, target).item()
        correct += output.argmax(dim=1).eq(target).sum().item()
    val_loss /= len(val_loader.dataset)
    acc = correct / len(val_loader.dataset)
    print(f"val: loss {val_loss:.5f} acc {acc:.4f}")
    return val_loss


criterion = torch.nn.CrossEntropyLoss()
