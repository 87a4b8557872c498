import glob
import os

import numpy as np
from PIL import Image
from torch.utils.data import Dataset


class Cells(Dataset):
    def __init__(self, root):
        self.images = sorted(glob.glob(os.path.join(root, "img", "*.png")))
        self.masks = sorted(glob.glob(os.path.join(root, "seg", "*.png")))
        self.names = [f for f in os.listdir(root) if f.endswith(".json")]

    def __getitem__(self, i):
        boxes = self.names[i].replace(".json", ".txt")
        return np.array(Image.open(self.images[i])), np.array(Image.open(self.masks[i])), boxes


def show(axes, data):
    for place, ax in zip(np.random.permutation(len(data))[:9], axes.ravel()):
        ax.imshow(data[place][0])
