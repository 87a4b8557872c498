import torch
from torch import nn


class Walker(nn.Module):
    def __init__(self):
        super().__init__()
        self.cell = nn.GRUCell(6, 32)
        self.head = nn.Linear(32, 2)

    def forward(self, seen, memory):
        memory = self.cell(seen, memory)
        return self.head(memory), memory


def walk(world, walker, steps):
    seen, _ = world.reset()
    memory = torch.zeros(1, 32)
    for _ in range(steps):
        scores, _ = walker(torch.as_tensor(seen).float()[None], memory)  # state-not-carried
        seen, _, ended, cut, _ = world.step(scores.argmax().item())
        if ended or cut:
            break
