import torch
from torch import nn


class Layer(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.message = nn.Linear(width, width)
        self.relation = nn.Linear(width, width)

    def forward(self, entities, relations, index, kinds):
        sent = self.message(entities[index[0]] * relations[kinds])
        entities = torch.tanh(torch.zeros_like(entities).index_add(0, index[1], sent))
        relations = self.relation(relations)
        return entities, relations


class Encoder(nn.Module):
    def __init__(self, width, depth):
        super().__init__()
        self.layers = nn.ModuleList([Layer(width) for _ in range(depth)])

    def forward(self, entities, relations, index, kinds):
        for layer in self.layers:
            entities, relations = layer(entities, relations, index, kinds)
        return entities
