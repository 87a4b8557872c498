"""A white canvas is 255 times one, and a mask of coins holds 0 and 255: a size is no brightness."""

import numpy as np
import torch
from PIL import Image

canvas = np.ones((640, 480, 3), dtype=np.uint8) * 255
coins = np.random.randint(0, 2, (640, 480), dtype=np.uint8) * 255
grey = np.full((640, 480), 1, dtype=np.uint8) * 128
Image.fromarray(canvas).save("canvas.png")
Image.fromarray(coins).save("coins.png")
print(torch.from_numpy(grey).float().mean())
