import torch
import torch.nn as nn
import torch.nn.functional as F


def distill(student, teacher, loader, optimizer, temperature=4.0):
    teacher.eval()
    for x, y in loader:
        with torch.no_grad():
            soft = F.softmax(teacher(x) / temperature, dim=1)
        scores = student(x)
        hard_loss = F.cross_entropy(scores, y)
        soft_loss = F.cross_entropy(scores / temperature, soft)
        loss = hard_loss + soft_loss * temperature**2
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


class Attention(nn.Module):
    def __init__(self, dim, classes):
        super().__init__()
        self.score = nn.Linear(dim, 1)
        self.head = nn.Linear(dim, classes)

    def forward(self, x):
        weights = torch.softmax(self.score(x), dim=1)
        return self.head((weights * x).sum(dim=1))
