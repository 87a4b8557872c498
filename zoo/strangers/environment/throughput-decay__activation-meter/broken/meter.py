"""Running share of active units per ReLU, for the training log."""
from torch import nn


class ActivityMeter:
    def __init__(self, decay=0.95):
        self.decay = decay
        self.share = {}

    def attach(self, model):
        for name, module in model.named_modules():
            if isinstance(module, nn.ReLU):
                module.register_forward_hook(self._hook(name))
        return self

    def _hook(self, name):
        def hook(module, inputs, output):
            now = (output.detach() > 0).float().mean().item()
            before = self.share.get(name, now)
            self.share[name] = self.decay * before + (1 - self.decay) * now
        return hook

    def summary(self):
        return " ".join(f"{v:.2f}" for v in self.share.values())
