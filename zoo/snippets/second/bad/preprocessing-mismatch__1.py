import torchvision.transforms as T
from torch.utils.data import DataLoader
from torchvision.datasets import ImageFolder


def build_loaders(cfg):
    train_transform = T.Compose([
        T.RandomResizedCrop(cfg.size),
        T.RandomHorizontalFlip(),
        T.ToTensor(),
        T.Normalize(mean=[0.485, 0.456, 0.406], std=[0.229, 0.224, 0.225]),
    ])
    val_transform = T.Compose([
        T.Resize(int(cfg.size * 1.14)),
        T.CenterCrop(cfg.size),
        T.ToTensor(),
    ])
    train_ds = ImageFolder(cfg.root + "/train", train_transform)
    val_ds = ImageFolder(cfg.root + "/val", val_transform)
    train_dl = DataLoader(train_ds, cfg.batch_size, shuffle=True, num_workers=8, pin_memory=True)
    val_dl = DataLoader(val_ds, cfg.batch_size, shuffle=False, num_workers=8, pin_memory=True)
    return train_dl, val_dl
