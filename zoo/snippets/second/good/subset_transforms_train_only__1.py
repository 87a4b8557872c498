import torch
from torch.utils.data import DataLoader, Dataset, random_split
from torchvision import datasets, transforms as T


class Transformed(Dataset):
    def __init__(self, subset, tf):
        self.subset, self.tf = subset, tf

    def __len__(self):
        return len(self.subset)

    def __getitem__(self, i):
        x, y = self.subset[i]
        return self.tf(x), y


MEAN, STD = [0.485, 0.456, 0.406], [0.229, 0.224, 0.225]
train_tf = T.Compose([T.RandomResizedCrop(224), T.RandomHorizontalFlip(), T.TrivialAugmentWide(),
                      T.ToTensor(), T.Normalize(MEAN, STD)])
eval_tf = T.Compose([T.Resize(256), T.CenterCrop(224), T.ToTensor(), T.Normalize(MEAN, STD)])


def loaders(root, bs=64, seed=0):
    full = datasets.ImageFolder(root)
    g = torch.Generator().manual_seed(seed)
    tr, va, te = random_split(full, [0.8, 0.1, 0.1], generator=g)
    return (
        DataLoader(Transformed(tr, train_tf), bs, shuffle=True, num_workers=4),
        DataLoader(Transformed(va, eval_tf), bs, num_workers=4),
        DataLoader(Transformed(te, eval_tf), bs, num_workers=4),
    )
