# motion detection on the parking lot clips
import cv2
import glob
import numpy as np
import torch
import torch.nn as nn

torch.manual_seed(0)

def load_pair(path_a, path_b):
    a = cv2.imread(path_a, cv2.IMREAD_GRAYSCALE)
    b = cv2.imread(path_b, cv2.IMREAD_GRAYSCALE)
    diff = b - a
    return diff.astype(np.float32) / 255.0

frames = sorted(glob.glob("clips/lot3/*.png"))
labels = np.load("clips/lot3_moving.npy")

x = np.stack([load_pair(frames[i], frames[i + 1]) for i in range(len(frames) - 1)])
x = torch.from_numpy(x).unsqueeze(1)
y = torch.from_numpy(labels[: len(frames) - 1]).long()

net = nn.Sequential(
    nn.Conv2d(1, 16, 5, stride=2), nn.ReLU(),
    nn.Conv2d(16, 32, 3, stride=2), nn.ReLU(),
    nn.AdaptiveAvgPool2d(4), nn.Flatten(),
    nn.Linear(32 * 16, 2),
)
opt = torch.optim.Adam(net.parameters(), lr=1e-3)
ce = nn.CrossEntropyLoss()
for epoch in range(15):
    order = torch.randperm(len(x))
    for idx in order.split(32):
        opt.zero_grad()
        loss = ce(net(x[idx]), y[idx])
        loss.backward()
        opt.step()
    print(epoch, loss.item())
