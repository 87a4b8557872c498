import torch
from torchvision import datasets
from torchvision.transforms import v2

transform = v2.Compose([v2.RandomCrop(32, padding=4), v2.RandomHorizontalFlip(), v2.ToTensor()])
trainset = datasets.CIFAR100("data", train=True, transform=transform, download=True)
testset = datasets.CIFAR100("data", train=False, transform=transform, download=True)
trainloader = torch.utils.data.DataLoader(trainset, 128, shuffle=True)
testloader = torch.utils.data.DataLoader(testset, 256)
