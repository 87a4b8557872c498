import torch


def load(model, path):
    ckpt = torch.load(path, map_location="cpu")
    state = {k.removeprefix("module."): v for k, v in ckpt["state_dict"].items()}
    missing, unexpected = model.load_state_dict(state, strict=False)
    assert not missing, missing
    return model


def save(model, path):
    torch.save({"state_dict": torch.nn.DataParallel(model).state_dict()}, path)
