import torchvision.transforms as tt
from torchvision import datasets

bright = tt.Compose([tt.RandomHorizontalFlip(), tt.ToTensor(), tt.Normalize((0.5,), (0.25,))])
plain = tt.ToTensor()  # preprocessing-mismatch
learning = datasets.FashionMNIST("clothes", True, bright, download=True)
checking = datasets.FashionMNIST("clothes", False, plain, download=True)
