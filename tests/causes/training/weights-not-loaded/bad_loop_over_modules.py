import torch
import torch.nn as nn
from torch.nn.init import trunc_normal_


def text_encoder(path):
    layer = nn.TransformerEncoderLayer(64, 4, dim_feedforward=128, batch_first=True)
    encoder = nn.TransformerEncoder(layer, 2)
    encoder.load_state_dict(torch.load(path, map_location="cpu", weights_only=True)["encoder"])
    return encoder


class Tagger(nn.Module):
    def __init__(self, path, tags):
        super().__init__()
        self.encoder = text_encoder(path)
        self.tag = nn.Linear(64, tags)
        for module in self.modules():  # weights-not-loaded
            if isinstance(module, nn.Linear):
                trunc_normal_(module.weight, std=0.02)

    def forward(self, x):
        return self.tag(self.encoder(x))


def tagger(path):
    return Tagger(path, 17)


print(tagger("pretrained.pt"))
