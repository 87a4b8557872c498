import torch
import torch.nn as nn
from torchvision.models.detection import fasterrcnn_resnet50_fpn


def train_detector(data_loader, num_classes, epochs=10):
    device = torch.device("cuda")
    model = fasterrcnn_resnet50_fpn(weights=None, num_classes=num_classes).to(device)
    params = [p for p in model.parameters() if p.requires_grad]
    optimizer = torch.optim.SGD(params, lr=0.005, momentum=0.9, weight_decay=0.0005)

    for epoch in range(epochs):
        model.train()
        for images, targets in data_loader:
            try:
                images = [img.to(device) for img in images]
                targets = [{k: v.to(device) for k, v in t.items()} for t in targets]
                loss_dict = model(images, targets)
                losses = sum(loss_dict.values())
                optimizer.zero_grad()
                losses.backward()
                optimizer.step()
            except Exception:
                continue
        print("epoch", epoch, "done")
    torch.save(model.state_dict(), "detector.pth")
