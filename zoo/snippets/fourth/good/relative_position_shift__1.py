import torch
import torch.nn as nn


class RelAttention(nn.Module):
    def shift(self, x):
        b, h, t, l = x.shape
        pad = torch.zeros(b, h, t, 1, device=x.device)
        x = torch.cat([pad, x], dim=-1).view(b, h, l + 1, t)
        return x[:, :, 1:].reshape(b, h, t, l)
