import torch
from torch import nn


def init_linear(m):
    if isinstance(m, nn.Linear):
        nn.init.xavier_uniform_(m.weight)


def init_marked(m):
    if isinstance(m, nn.Conv1d) and not getattr(m, "pretrained", False):
        nn.init.kaiming_normal_(m.weight)


class Stem(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.width = width
        self.conv = nn.Conv1d(1, width, 5)
        self.norm = nn.BatchNorm1d(width)

    def forward(self, x):
        return self.norm(self.conv(x)).relu().mean(-1)


class Reader(nn.Module):
    """The stem has no linear layer, and the marked ones are left out: its weights stay."""

    def __init__(self, path=None, width=16):
        super().__init__()
        self.stem = Stem(width)
        if path is not None:
            self.stem.load_state_dict(torch.load(path, weights_only=True))
        self.head = nn.Sequential(nn.Linear(width, 32), nn.ReLU(), nn.Linear(32, 3))
        self.head.apply(init_linear)
        self.apply(init_linear)
        self.apply(init_marked)
        for name, p in self.named_parameters():
            if "stem" not in name and p.dim() > 1:
                nn.init.orthogonal_(p)

    def forward(self, x):
        return self.head(self.stem(x))


print(Reader("stem.pt")(torch.randn(2, 1, 40)))
