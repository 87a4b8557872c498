import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

images = torch.rand(100, 1, 8, 8)
weights = torch.rand(100)
loader = DataLoader(TensorDataset(images, weights), batch_size=10, shuffle=True)
auto = nn.Sequential(nn.Conv2d(1, 4, 3, padding=1), nn.ReLU(), nn.Conv2d(4, 1, 3, padding=1))
mean_image = images.mean(dim=0)
opt = torch.optim.Adam(auto.parameters())
for image, weight in loader:
    out = auto(image)
    per_example = ((out - image) ** 2).flatten(1).mean(1)
    drift = (out.mean() - 0.5) ** 2
    centre = ((out - mean_image) ** 2).mean()
    loss = (per_example * weight).mean() + drift + 0.1 * centre
    opt.zero_grad()
    loss.backward()
    opt.step()
