import torch
import torch.nn as nn
from models.deeplab import DeepLabV3Plus


def save_pretrained(model, path):
    model = nn.DataParallel(model)
    torch.save({"state_dict": model.state_dict(), "epoch": 50}, path)


def build_finetune_model(path, num_classes, device):
    model = DeepLabV3Plus(backbone="resnet101", num_classes=num_classes)
    ckpt = torch.load(path, map_location="cpu")
    model.load_state_dict(ckpt["state_dict"], strict=False)
    print("loaded checkpoint from epoch", ckpt["epoch"])
    return model.to(device)


def finetune(loader, path, num_classes=8, epochs=30, device="cuda"):
    model = build_finetune_model(path, num_classes, device)
    opt = torch.optim.SGD(model.parameters(), lr=7e-3, momentum=0.9, weight_decay=1e-4)
    crit = nn.CrossEntropyLoss(ignore_index=255)
    for epoch in range(epochs):
        model.train()
        for img, mask in loader:
            img, mask = img.to(device), mask.to(device)
            opt.zero_grad()
            loss = crit(model(img), mask)
            loss.backward()
            opt.step()
    return model
