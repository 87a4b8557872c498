import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, random_split
from torchvision import datasets, transforms

whole = datasets.FashionMNIST("data", transform=transforms.ToTensor(), download=True)
train, held_out = random_split(whole, [55_000, 5_000])
net = nn.Sequential(nn.Flatten(), nn.Linear(784, 100), nn.ReLU(), nn.Linear(100, 1))
opt = torch.optim.Adam(net.parameters(), lr=1e-3)

for images, garments in DataLoader(train, batch_size=64, shuffle=True):
    guess = net(images)[:, 0]
    loss = F.smooth_l1_loss(guess, garments.float())  # loss-wrong-for-task
    opt.zero_grad()
    loss.backward()
    opt.step()
