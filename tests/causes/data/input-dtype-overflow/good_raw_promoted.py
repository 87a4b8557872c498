import numpy as np
import torch


def mono(path):
    raw = np.frombuffer(open(path, "rb").read(), dtype=np.int16).reshape(-1, 2)
    wide = raw.astype(np.int32)
    return (wide[:, 0] + wide[:, 1]) // 2


def level(path):
    raw = np.fromfile(path, dtype=np.int16)
    return np.sqrt((raw.astype(np.float32) ** 2).mean()), raw.mean(), raw / 32768.0


def digits(path):
    with open(path, "rb") as f:
        images = np.frombuffer(f.read(), dtype=np.uint8, offset=16).reshape(-1, 28, 28)
    with open(path + ".labels", "rb") as f:
        labels = np.frombuffer(f.read(), dtype=np.uint8, offset=8)
    return torch.from_numpy(images / 255.0).float(), torch.from_numpy(labels - 1).long()
