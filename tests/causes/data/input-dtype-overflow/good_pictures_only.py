import cv2
import numpy as np
from PIL import Image


def motion(before, after):
    earlier = cv2.imread(before, 0).astype(np.int16)
    later = cv2.imread(after, 0).astype(np.int16)
    return np.abs(later - earlier).mean(), cv2.absdiff(cv2.imread(before), cv2.imread(after))


def depth_apart(before, after):
    """16 bits, as the camera stored them."""
    return cv2.imread(after, cv2.IMREAD_UNCHANGED) + cv2.imread(before, -1) * 2


def classes(name):
    """0 is nothing and becomes 255, which the loss leaves out."""
    labels = np.array(Image.open(name))
    labels = labels - 1
    return labels


def cut_out(picture, mask):
    return cv2.imread(picture) * np.array(Image.open(mask))[..., None]
