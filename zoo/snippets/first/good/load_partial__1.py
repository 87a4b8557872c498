import torch
import torch.nn as nn
from torchvision.models import resnet50


def load_moco(path, n_classes):
    model = resnet50(num_classes=n_classes)
    ckpt = torch.load(path, map_location="cpu")["state_dict"]
    prefix = "module.encoder_q."
    state = {k[len(prefix):]: v for k, v in ckpt.items() if k.startswith(prefix) and not k.startswith(prefix + "fc")}
    msg = model.load_state_dict(state, strict=False)
    assert set(msg.missing_keys) == {"fc.weight", "fc.bias"} and not msg.unexpected_keys
    nn.init.normal_(model.fc.weight, std=0.01)
    nn.init.zeros_(model.fc.bias)
    return model


def resume(model, optimizer, path):
    ck = torch.load(path, map_location="cpu")
    state = {k.removeprefix("module."): v for k, v in ck["model"].items()}
    model.load_state_dict(state)
    optimizer.load_state_dict(ck["optimizer"])
    return ck["step"]
