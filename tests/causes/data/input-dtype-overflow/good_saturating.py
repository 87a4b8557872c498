import cv2
import numpy as np

a = cv2.imread("a.jpg")
b = cv2.imread("b.jpg")
difference = cv2.absdiff(a, b)
brighter = cv2.add(a, 40)
noise = np.random.normal(0, 10, a.shape)
noisy = np.clip(a.astype(np.int16) + noise, 0, 255).astype(np.uint8)
batch = np.stack([a, b]).astype(np.float32) - 110
