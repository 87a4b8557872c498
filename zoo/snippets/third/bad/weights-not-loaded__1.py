import torch
import torch.nn as nn
from models import UNet


def save(model, path):
    torch.save({"state": nn.DataParallel(model).state_dict()}, path)


def load_for_finetune(path, n_classes, device):
    model = UNet(3, n_classes)
    ckpt = torch.load(path, map_location="cpu")
    model.load_state_dict(ckpt["state"], strict=False)
    return model.to(device)
