import torch
import torch.nn.functional as F


def test(model, test_loader):
    model.eval()
    test_loss, correct = 0, 0
    with torch.no_grad():
        for data, target in test_loader:
            output = model(data)
            test_loss += F.nll_loss(output, target, reduction="sum").item()
            correct += output.argmax(1).eq(target).sum().item()
    test_loss /= len(test_loader.dataset)
    print(test_loss, 100.0 * correct / len(test_loader.dataset))
