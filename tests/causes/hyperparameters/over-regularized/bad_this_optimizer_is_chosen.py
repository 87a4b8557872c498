import torch

SETTINGS = {"optimizer": "adam", "lr": 1e-3, "decay": 0.1}  # over-regularized


def optimizer_for(settings, parameters):
    if settings["optimizer"] == "adam":
        return torch.optim.Adam(parameters, lr=settings["lr"], weight_decay=settings["decay"])
    elif settings["optimizer"] == "adamw":
        return torch.optim.AdamW(parameters, lr=settings["lr"], weight_decay=settings["decay"])
    raise ValueError(settings["optimizer"])


def main(model):
    return optimizer_for(SETTINGS, model.parameters())
