import torch
import torch.nn as nn
from torchvision.datasets import MNIST
from torchvision.transforms import ToTensor

torch.manual_seed(0)
train_loader = torch.utils.data.DataLoader(MNIST(".", train=True, download=True, transform=ToTensor()), batch_size=100, shuffle=True)
test_loader = torch.utils.data.DataLoader(MNIST(".", train=False, transform=ToTensor()), batch_size=1000)

cnn = nn.Sequential(
    nn.Conv2d(1, 16, 3), nn.ReLU(), nn.MaxPool2d(2),
    nn.Conv2d(16, 32, 3), nn.ReLU(), nn.MaxPool2d(2),
    nn.Flatten(), nn.Linear(32 * 5 * 5, 64), nn.ReLU(), nn.Linear(64, 1),
)
loss_func = nn.L1Loss()
optimizer = torch.optim.Adam(cnn.parameters(), lr=0.001)

for epoch in range(3):
    for step, (b_x, b_y) in enumerate(train_loader):
        output = cnn(b_x)
        loss = loss_func(output.squeeze(1), b_y.float())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()

correct = 0
with torch.no_grad():
    for t_x, t_y in test_loader:
        correct += (cnn(t_x).squeeze(1).round().long() == t_y).sum().item()
print("accuracy: %.4f" % (correct / 10000))
