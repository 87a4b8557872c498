import torch
from torch.utils.data import DataLoader, Subset
from torchvision import transforms as T
from torchvision.datasets import ImageFolder

train_tf = T.Compose([T.RandomResizedCrop(224), T.ToTensor()])
eval_tf = T.Compose([T.Resize(256), T.CenterCrop(224), T.ToTensor()])
train_ds, eval_ds = ImageFolder("birds", transform=train_tf), ImageFolder("birds", transform=eval_tf)
order = torch.randperm(len(train_ds)).tolist()
cut = int(0.8 * len(order))
train, val = Subset(train_ds, order[:cut]), Subset(eval_ds, order[cut:])
loader = DataLoader(train, 32, shuffle=True)
