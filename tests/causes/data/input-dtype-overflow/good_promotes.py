import imageio.v2 as imageio
import torch
from torchvision.io import read_image

img = imageio.imread("a.png")
x = img / 127.5 - 1.0
y = img * 0.5 + 16.0
inverted = 255 - img
t = read_image("b.png").float()
t = (t - 128) / 128
z = torch.as_tensor(img, dtype=torch.float32) - 3
