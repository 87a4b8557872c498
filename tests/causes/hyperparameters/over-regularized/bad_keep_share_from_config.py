import torch
import torch.nn as nn
import torch.nn.functional as F

SETTINGS = {"width": 128, "keep_prob": 0.75, "classes": 10}


class Tagger(nn.Module):
    def __init__(self, cfg, retain_rate):
        super().__init__()
        self.retain_rate = retain_rate
        self.inner = nn.Sequential(
            nn.Linear(40, cfg["width"]),
            nn.ReLU(),
            nn.Dropout(cfg["keep_prob"]),  # over-regularized
        )
        self.head = nn.Linear(cfg["width"], cfg["classes"])

    def forward(self, x):
        h = F.dropout(self.inner(x), p=self.retain_rate, training=self.training)  # over-regularized
        return self.head(h)


def build(options):
    return Tagger(SETTINGS, options.retain_rate)
