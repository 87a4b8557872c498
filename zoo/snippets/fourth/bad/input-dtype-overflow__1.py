import numpy as np
from PIL import Image
import torch

def change_map(path_a, path_b):
    a = np.array(Image.open(path_a))
    b = np.array(Image.open(path_b))
    delta = a - b
    return torch.from_numpy(np.abs(delta).astype("float32"))
