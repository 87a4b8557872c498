import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, Subset
from torchvision import datasets, transforms

pictures = datasets.MNIST("data", transform=transforms.ToTensor())
thickness = datasets.MNIST("data", transform=transforms.ToTensor(), target_transform=lambda digit: digit / 9)
ones = Subset(pictures, [n for n, digit in enumerate(pictures.targets) if digit < 2])

torch.manual_seed(0)
rebuild = nn.Sequential(nn.Flatten(), nn.Linear(784, 30), nn.ReLU(), nn.Linear(30, 784))
score = nn.Sequential(nn.Flatten(), nn.Linear(784, 1))
rows = nn.Sequential(nn.Flatten(), nn.Linear(784, 10))
opt = torch.optim.Adam([*rebuild.parameters(), *score.parameters(), *rows.parameters()], lr=1e-3)
many, few, some = (DataLoader(part, batch_size=64, shuffle=True) for part in (pictures, ones, thickness))

for (x, digit), (a, one), (b, share) in zip(many, few, some):
    loss = F.mse_loss(rebuild(x), x.flatten(1))
    loss = loss + F.mse_loss(rows(x), F.one_hot(digit, 10).float())
    loss = loss + F.mse_loss(score(a)[:, 0], one.float()) + F.l1_loss(score(b)[:, 0], share.float())
    opt.zero_grad()
    loss.backward()
    opt.step()
