import torch
import torch.nn.functional as F
from torch_geometric.loader import DataLoader
from torch_geometric.nn import GINConv, global_add_pool
from torch.nn import BatchNorm1d, Linear, ReLU, Sequential


class GIN(torch.nn.Module):
    def __init__(self, d, h, k, layers=4):
        super().__init__()
        self.convs = torch.nn.ModuleList()
        for i in range(layers):
            mlp = Sequential(Linear(d if i == 0 else h, h), BatchNorm1d(h), ReLU(), Linear(h, h), ReLU())
            self.convs.append(GINConv(mlp, train_eps=True))
        self.l1, self.l2 = Linear(h, h), Linear(h, k)

    def forward(self, x, edge_index, batch):
        for conv in self.convs:
            x = conv(x, edge_index)
        x = global_add_pool(x, batch)
        x = F.dropout(self.l1(x).relu(), p=0.5, training=self.training)
        return F.log_softmax(self.l2(x), dim=-1)


def train(model, loader: DataLoader, opt):
    model.train()
    total = 0.0
    for data in loader:
        opt.zero_grad()
        loss = F.nll_loss(model(data.x, data.edge_index, data.batch), data.y)
        loss.backward()
        opt.step()
        total += float(loss) * data.num_graphs
    return total / len(loader.dataset)
