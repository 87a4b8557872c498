import torchvision.transforms as tt
from torchvision import datasets

scaled = [tt.ToTensor(), tt.Normalize((0.5,), (0.25,))]
learning = datasets.FashionMNIST("clothes", True, tt.Compose([tt.RandomHorizontalFlip(), *scaled]))
checking = datasets.FashionMNIST("clothes", False, tt.Compose(scaled))
flowers = datasets.ImageFolder("flowers/train", tt.Compose([tt.RandomCrop(64), *scaled]))
leaves = datasets.ImageFolder("leaves/test", tt.Compose([tt.CenterCrop(64), *scaled]))
