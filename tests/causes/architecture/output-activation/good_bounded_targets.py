import torch
from torch import nn
from torchvision import datasets, transforms

images = datasets.MNIST("data", train=True, download=True, transform=transforms.ToTensor())
loader = torch.utils.data.DataLoader(images, batch_size=128, shuffle=True)
decoder = nn.Sequential(nn.Linear(32, 784), nn.Sigmoid())
encoder = nn.Sequential(nn.Flatten(), nn.Linear(784, 32), nn.ReLU())
optimizer = torch.optim.Adam([*encoder.parameters(), *decoder.parameters()], lr=1e-3)
for image, _ in loader:
    rebuilt = decoder(encoder(image))
    loss = nn.functional.mse_loss(rebuilt, image.flatten(1))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
