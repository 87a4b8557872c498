import torch


class Checkpointer:
    def __init__(self, path):
        self.path, self.best = path, -1.0

    def maybe_save(self, model, optimizer, epoch, score):
        if score <= self.best:
            return False
        self.best = score
        state = model.state_dict()
        torch.save({"model": state, "optim": optimizer.state_dict(), "epoch": epoch, "score": score}, self.path)
        return True

    def restore(self, model, optimizer=None, device="cpu"):
        ckpt = torch.load(self.path, map_location=device)
        model.load_state_dict(ckpt["model"])
        if optimizer is not None:
            optimizer.load_state_dict(ckpt["optim"])
        return ckpt["epoch"] + 1
