import torch
from torchvision import datasets, transforms

train_set = datasets.CIFAR10("./data", train=True, download=True, transform=transforms.ToTensor())
test_set = datasets.CIFAR10("./data", train=False, download=True, transform=transforms.ToTensor())
train_loader = torch.utils.data.DataLoader(train_set, batch_size=128)
test_loader = torch.utils.data.DataLoader(test_set, batch_size=128)

for epoch in range(num_epochs):
    net.train()
    for x, y in train_loader:
        opt.zero_grad()
        criterion(net(x.to(device)), y.to(device)).backward()
        opt.step()
