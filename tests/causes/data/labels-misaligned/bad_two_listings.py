import os

from PIL import Image
from torch.utils.data import Dataset


class Roads(Dataset):
    def __init__(self, root, tf):
        self.root, self.tf = root, tf
        self.images = os.listdir(os.path.join(root, "images"))  # labels-misaligned
        self.masks = os.listdir(os.path.join(root, "masks"))

    def __len__(self):
        return len(self.images)

    def __getitem__(self, idx):
        image = Image.open(os.path.join(self.root, "images", self.images[idx]))
        mask = Image.open(os.path.join(self.root, "masks", self.masks[idx]))
        return self.tf(image), self.tf(mask)
