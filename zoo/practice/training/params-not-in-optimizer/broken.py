import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(5)
N, K = 240, 3
community = torch.arange(N) % K
same = community[:, None] == community[None]
A = (torch.rand(N, N) < torch.where(same, 0.10, 0.008)).float()
A = ((A + A.T) > 0).float() + torch.eye(N)
deg = A.sum(1)
A_hat = A / deg.sqrt()[:, None] / deg.sqrt()[None]
X = torch.randn(N, 12) + 0.35 * F.one_hot(community, 12)
train_mask = torch.zeros(N, dtype=torch.bool)
train_mask[torch.randperm(N)[:90]] = True


class GraphConv(nn.Module):
    def __init__(self, i, o):
        super().__init__()
        self.lin = nn.Linear(i, o)

    def forward(self, a, x):
        return a @ self.lin(x)


gc1, gc2, readout = GraphConv(12, 6), GraphConv(6, 6), nn.Linear(6, K)
with torch.no_grad():
    for layer in (gc1.lin, gc2.lin):
        layer.weight.mul_(0.4)
optimizer = torch.optim.Adam(list(readout.parameters()), lr=0.02)


def forward():
    h = F.relu(gc1(A_hat, X))
    h = F.relu(gc2(A_hat, h))
    return readout(h)


for epoch in range(150):
    logits = forward()
    loss = F.cross_entropy(logits[train_mask], community[train_mask])
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if epoch % 30 == 0:
        print(f"epoch {epoch} loss {loss.item():.4f}")

with torch.no_grad():
    ok = (forward().argmax(1) == community)[~train_mask].float().mean().item()
print(f"test nodes right {ok:.3f}")
