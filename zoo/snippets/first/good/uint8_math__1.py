import cv2
import numpy as np
import torch


def difference(a, b):
    return cv2.absdiff(a, b)


def brighten(img, delta):
    return np.clip(img.astype(np.int16) + delta, 0, 255).astype(np.uint8)


def blend(a, b, t=0.5):
    return cv2.addWeighted(a, t, b, 1 - t, 0)


def to_tensor(img):
    x = torch.from_numpy(img).permute(2, 0, 1).contiguous()
    return x.float().div_(255).sub_(0.5).mul_(2)


def mono(raw: np.ndarray) -> np.ndarray:
    stereo = raw.reshape(-1, 2).astype(np.int32)
    return ((stereo[:, 0] + stereo[:, 1]) // 2).astype(np.float32) / 32768.0


mask = np.zeros((480, 640), np.uint8)
for poly in polygons:
    cv2.fillPoly(mask, [poly], 255)
target = torch.from_numpy((mask > 127).astype(np.float32))
