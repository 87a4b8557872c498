import torch.nn as nn
import torch.nn.functional as F


class GCN(nn.Module):
    def __init__(self, conv1, conv2):
        super().__init__()
        self.conv1, self.conv2 = conv1, conv2

    def forward(self, x, edge_index):
        x = F.relu(self.conv1(x, edge_index))
        x = F.dropout(x, p=0.5)
        return self.conv2(x, edge_index)
