import torch
import torch.nn as nn
import torch.nn.functional as F
from torch_geometric.datasets import Planetoid
from torch_geometric.nn import GCNConv

torch.manual_seed(0)
dataset = Planetoid(root="/tmp/Cora", name="Cora")
data = dataset[0]


class GCN(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1 = GCNConv(dataset.num_features, 16)
        self.conv2 = GCNConv(16, dataset.num_classes)

    def forward(self, data):
        x = F.relu(self.conv1(data.x, data.edge_index))
        x = F.dropout(x, training=self.training)
        return F.log_softmax(self.conv2(x, data.edge_index), dim=1)


model = GCN()
optimizer = torch.optim.Adam(model.parameters(), lr=0.01, weight_decay=5e-4)

model.train()
for epoch in range(200):
    out = model(data)
    loss = F.nll_loss(out[data.train_mask], data.y[data.train_mask])
    optimizer.step()
    optimizer.zero_grad()
    loss.backward()

model.eval()
with torch.no_grad():
    pred = model(data).argmax(dim=1)
acc = (pred[data.test_mask] == data.y[data.test_mask]).sum() / data.test_mask.sum()
print("Accuracy: {:.4f}".format(acc.item()))
