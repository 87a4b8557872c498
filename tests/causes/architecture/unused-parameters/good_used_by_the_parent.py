import torch
from torch import nn

from library import Recogniser


class Mine(Recogniser):
    def __init__(self, width, words):
        super().__init__(width)
        self.head = nn.Linear(width, words)

    def forward(self, **given):
        return super().forward(**given)
