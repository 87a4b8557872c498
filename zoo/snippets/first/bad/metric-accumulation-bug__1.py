import torch
import torch.nn as nn
import torch.optim as optim
from torchvision import datasets, transforms

torch.manual_seed(0)
tf = transforms.Compose([transforms.ToTensor(), transforms.Normalize((0.2860,), (0.3530,))])
train_loader = torch.utils.data.DataLoader(datasets.FashionMNIST("d", True, tf, download=True), 128, shuffle=True)
val_loader = torch.utils.data.DataLoader(datasets.FashionMNIST("d", False, tf, download=True), 1000)

model = nn.Sequential(nn.Flatten(), nn.Linear(784, 300), nn.ReLU(), nn.Linear(300, 10))
optimizer = optim.Adam(model.parameters(), lr=1e-3)

correct = 0
total = 0
for epoch in range(20):
    for x, y in train_loader:
        optimizer.zero_grad()
        nn.functional.cross_entropy(model(x), y).backward()
        optimizer.step()

    with torch.no_grad():
        for x, y in val_loader:
            correct += (model(x).argmax(1) == y).sum().item()
            total += y.size(0)
    print("epoch {} accuracy {:.2f}%".format(epoch, 100.0 * correct / total))
