"""No framework in sight: pictures are compared and brightened on their way to files."""

import cv2
import numpy as np
from PIL import Image


def motion(before, after):
    earlier = cv2.imread(before, cv2.IMREAD_GRAYSCALE)
    later = cv2.imread(after, cv2.IMREAD_GRAYSCALE)
    return np.abs(later - earlier).mean()  # input-dtype-overflow


def brighter(name):
    pixels = np.asarray(Image.open(name).convert("L"))
    pixels = pixels + 40  # input-dtype-overflow
    Image.fromarray(pixels).save("brighter.png")
