import time

import numpy as np
import torch
import torch.nn.functional as F
from torch.utils.data import DataLoader

from scenes import CLASSES, TrayScenes, generate
from unet import SmallUNet


@torch.no_grad()
def predict(model, dataset):
    model.eval()
    out = [model(x).argmax(1).to(torch.uint8) for x, _ in DataLoader(dataset, batch_size=50)]
    return torch.cat(out).numpy()


def iou_per_class(pred, truth):
    scores = []
    for c in range(len(CLASSES)):
        inter = np.logical_and(pred == c, truth == c).sum()
        union = np.logical_or(pred == c, truth == c).sum()
        scores.append(inter / union if union else float("nan"))
    return scores


def main(epochs=14, batch_size=10, lr=1e-2, seed=3):
    torch.manual_seed(seed)
    train_pics, train_maps = generate(400, seed=seed)
    test_pics, test_maps = generate(150, seed=seed + 1)
    train_set = TrayScenes(train_pics, train_maps, mirror=True)
    test_set = TrayScenes(test_pics, test_maps)
    loader = DataLoader(train_set, batch_size=batch_size, shuffle=True, drop_last=True)

    model = SmallUNet(len(CLASSES))
    optim = torch.optim.Adam(model.parameters(), lr=lr)
    sched = torch.optim.lr_scheduler.OneCycleLR(optim, lr, total_steps=epochs * len(loader))
    for epoch in range(epochs):
        model.train()
        tic, total = time.time(), 0.0
        for x, y in loader:
            optim.zero_grad()
            loss = F.cross_entropy(model(x), y)
            loss.backward()
            optim.step()
            sched.step()
            total += loss.item()
        print(f"epoch {epoch + 1:2d}/{epochs}  loss {total / len(loader):.5f}  ({time.time() - tic:.1f}s)")

    pred = predict(model, test_set)
    scores = iou_per_class(pred, test_maps)
    print("pixel accuracy  %.4f" % (pred == test_maps).mean())
    for name, s in zip(CLASSES, scores):
        print(f"IoU {name:5s} {s:.3f}")
    print("mean IoU of the parts  %.3f" % np.mean(scores[1:]))


if __name__ == "__main__":
    main()
