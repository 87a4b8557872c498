import torch
from torch import nn


class Both(nn.Module):
    """Sentences that look at each other: one table of scores, read along either axis."""

    def forward(self, left, right):
        scores = torch.bmm(left, right.transpose(1, 2))
        seen_by_left = torch.bmm(scores.softmax(dim=2), right)
        seen_by_right = torch.bmm(scores.softmax(dim=1).transpose(1, 2), left)
        return seen_by_left, seen_by_right


class Slots(nn.Module):
    def forward(self, slots, inputs):
        shares = (slots @ inputs.transpose(-2, -1)).softmax(dim=-2)
        shares = shares / shares.sum(dim=-1, keepdim=True)
        return shares @ inputs


class Transposed(nn.Module):
    def forward(self, q, k, v):
        shares = (k @ q.transpose(-2, -1)).softmax(dim=-2)
        return shares.transpose(-2, -1) @ v
