"""The model's `forward` takes the layers of the stack in turn, and bends behind each linear one."""

from torch import nn
from torch.nn import functional as F


class Perceptron(nn.Module):
    def __init__(self, d_in, d_hidden, d_out):
        super().__init__()
        self.drop = nn.Dropout(0.2)
        self.parts = nn.Sequential(*self.made(d_in, d_hidden, d_out))

    def made(self, width, d_hidden, d_out):
        parts = []
        for wide in d_hidden:
            parts.append(nn.Linear(width, wide))
            parts.append(self.drop)
            width = wide
        parts.append(nn.Linear(width, d_out))
        return parts

    def forward(self, rows):
        for part in self.parts:
            rows = part(rows)
            if isinstance(part, nn.Linear):
                rows = F.elu(rows)
        return rows


class Graph(nn.Module):
    def __init__(self, wide):
        super().__init__()
        self.edges = Perceptron(4, (wide, wide), wide)
        self.ends = Perceptron(wide, (wide, wide), 1)

    def forward(self, graph):
        graph.rows = self.edges(graph.rows)
        return graph.apply_nodes(self.ends)


graphs = [Graph(8), Graph(16)]
