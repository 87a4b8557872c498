import torch
import torch.nn as nn
import torch.nn.functional as F


class TinyDetector(nn.Module):
    def __init__(self, n_classes):
        super().__init__()
        self.features = nn.Sequential(
            nn.Conv2d(3, 32, 3, 2, 1), nn.ReLU(), nn.Conv2d(32, 64, 3, 2, 1), nn.ReLU(),
            nn.Conv2d(64, 128, 3, 2, 1), nn.ReLU(), nn.AdaptiveAvgPool2d(1), nn.Flatten())
        self.cls = nn.Linear(128, n_classes)
        self.box = nn.Linear(128, 4)

    def forward(self, x):
        f = self.features(x)
        return self.cls(f), self.box(f)


def train(model, loader, epochs, w_box=5.0):
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9)
    for epoch in range(epochs):
        model.train()
        for images, labels, boxes in loader:
            optimizer.zero_grad()
            cls_logits, pred_boxes = model(images)
            cls_loss = F.cross_entropy(cls_logits, labels)
            box_loss = F.smooth_l1_loss(pred_boxes, boxes)
            total = cls_loss + w_box * box_loss
            optimizer.step()
            print(f"cls {cls_loss.item():.3f} box {box_loss.item():.3f} total {total.item():.3f}")
