import torch
from torch.utils.data import DataLoader, Subset
from torchvision import datasets
from torchvision.transforms import v2 as T

norm = T.Normalize([0.485, 0.456, 0.406], [0.229, 0.224, 0.225])
to = T.Compose([T.ToImage(), T.ToDtype(torch.float32, scale=True)])
train_tf = T.Compose([to, T.RandomResizedCrop(224), T.RandomHorizontalFlip(), T.TrivialAugmentWide(), norm])
eval_tf = T.Compose([to, T.Resize(256), T.CenterCrop(224), norm])


def loaders(root, bs=64, seed=0):
    # two views of one folder, the split decides which indices each may use
    aug, plain = datasets.ImageFolder(root, train_tf), datasets.ImageFolder(root, eval_tf)
    perm = torch.randperm(len(aug), generator=torch.Generator().manual_seed(seed)).tolist()
    cut = int(0.9 * len(perm))
    train = DataLoader(Subset(aug, perm[:cut]), bs, shuffle=True, num_workers=4, drop_last=True)
    val = DataLoader(Subset(plain, perm[cut:]), bs, num_workers=4)
    return train, val
