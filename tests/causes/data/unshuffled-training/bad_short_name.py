"""A cell of a notebook: model and optimizer were made in another one."""

import torch.nn.functional as F
from torch.utils.data import DataLoader
from torchvision import transforms
from torchvision.datasets import ImageFolder

prepare = transforms.Compose([transforms.Resize((64, 64)), transforms.ToTensor()])
serving = DataLoader(ImageFolder("flowers/train", transform=prepare), 32, num_workers=2)  # unshuffled-training


def one_epoch():
    for pictures, kinds in serving:
        optim.zero_grad(set_to_none=True)
        loss = F.cross_entropy(classifier(pictures), kinds)
        loss.backward()
        optim.step()


for _ in range(20):
    one_epoch()
