import torch
import torch.nn as nn
from torchvision.datasets import FashionMNIST
from torchvision.transforms import ToTensor

ds = FashionMNIST("data", train=True, download=True, transform=ToTensor())
dl = torch.utils.data.DataLoader(ds, batch_size=64, shuffle=True)

clf = nn.Sequential(nn.Flatten(), nn.Linear(784, 256), nn.ReLU(), nn.Linear(256, 1))
crit = nn.MSELoss()
opt = torch.optim.Adam(clf.parameters())

for epoch in range(5):
    for images, labels in dl:
        opt.zero_grad()
        pred = clf(images).squeeze(1)
        loss = crit(pred, labels.float())
        loss.backward()
        opt.step()
    print(epoch, loss.item())
