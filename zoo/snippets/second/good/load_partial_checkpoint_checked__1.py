import torch
import torch.nn as nn
from torchvision.models import resnet50


def strip_prefix(state, prefix="module."):
    return {k[len(prefix):] if k.startswith(prefix) else k: v for k, v in state.items()}


def load_backbone(path, n_classes):
    model = resnet50(num_classes=n_classes)
    state = strip_prefix(torch.load(path, map_location="cpu")["state_dict"])
    state.pop("fc.weight")
    state.pop("fc.bias")
    missing, unexpected = model.load_state_dict(state, strict=False)
    assert set(missing) == {"fc.weight", "fc.bias"}, missing
    assert not unexpected, unexpected
    nn.init.normal_(model.fc.weight, std=0.01)
    nn.init.zeros_(model.fc.bias)
    return model


def param_groups(model, lr=1e-3):
    head = list(model.fc.parameters())
    ids = {id(p) for p in head}
    body = [p for p in model.parameters() if id(p) not in ids]
    return torch.optim.SGD([{"params": body, "lr": lr * 0.1}, {"params": head, "lr": lr}], momentum=0.9)
