from torch.utils.data import Dataset, random_split
from torchvision import transforms as T
from torchvision.datasets import ImageFolder


class Apply(Dataset):
    def __init__(self, part, transform):
        self.part, self.transform = part, transform

    def __len__(self):
        return len(self.part)

    def __getitem__(self, i):
        x, y = self.part[i]
        return self.transform(x), y


base = ImageFolder("pets")
train, val = random_split(base, [0.9, 0.1])
train_set = Apply(train, T.Compose([T.RandomHorizontalFlip(), T.ToTensor()]))
val_set = Apply(val, T.ToTensor())
