"""Self-supervised embedding of sensor readings: two noisy views, a predictor, no negatives."""

import torch
import torch.nn as nn
import torch.nn.functional as F

NUM_KINDS = 8
SIGNAL_DIM = 10
CLUTTER_DIM = 64

torch.manual_seed(2)
prototypes = 0.8 * torch.randn(NUM_KINDS, SIGNAL_DIM)


def make_readings(n):
    kind = torch.randint(NUM_KINDS, (n,))
    signal = prototypes[kind] + 0.45 * torch.randn(n, SIGNAL_DIM)
    clutter = torch.randn(n, CLUTTER_DIM)
    return torch.cat([signal, clutter], dim=1), kind


def augment(x):
    signal, clutter = x[:, :SIGNAL_DIM], x[:, SIGNAL_DIM:]
    signal = signal + 0.45 * torch.randn_like(signal)
    clutter = clutter[torch.randperm(len(clutter))]
    return torch.cat([signal, clutter], dim=1)


class SiameseNet(nn.Module):
    def __init__(self, in_dim, width=96, emb=32):
        super().__init__()
        self.encoder = nn.Sequential(
            nn.Linear(in_dim, width),
            nn.BatchNorm1d(width),
            nn.ReLU(),
            nn.Linear(width, emb),
            nn.BatchNorm1d(emb, affine=False),
        )
        self.predictor = nn.Sequential(
            nn.Linear(emb, 16), nn.BatchNorm1d(16), nn.ReLU(), nn.Linear(16, emb)
        )

    def forward(self, view_a, view_b):
        z_a, z_b = self.encoder(view_a), self.encoder(view_b)
        return self.predictor(z_a), self.predictor(z_b), z_a.detach(), z_b.detach()


def negative_cosine(p, z):
    return -F.cosine_similarity(p, z, dim=1).mean()


def knn_accuracy(bank, bank_kind, query, query_kind, k=15):
    bank, query = F.normalize(bank, dim=1), F.normalize(query, dim=1)
    neighbours = (query @ bank.T).topk(k, dim=1).indices
    vote = bank_kind[neighbours].mode(dim=1).values
    return (vote == query_kind).float().mean().item()


train_x, train_kind = make_readings(2048)
test_x, test_kind = make_readings(600)

net = SiameseNet(SIGNAL_DIM + CLUTTER_DIM)
optimizer = torch.optim.SGD(net.parameters(), lr=0.05, momentum=0.9, weight_decay=1e-4)
scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=30)

for epoch in range(30):
    net.train()
    order = torch.randperm(len(train_x))
    epoch_loss, batches = 0.0, 0
    for idx in order.split(128):
        x = train_x[idx]
        p_a, p_b, z_a, z_b = net(augment(x), augment(x))
        loss = 0.5 * (negative_cosine(p_a, z_b) + negative_cosine(p_b, z_a))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        epoch_loss += loss.item()
        batches += 1
    scheduler.step()
    if epoch % 5 == 4:
        spread = F.normalize(z_a, dim=1).std(dim=0).mean().item()
        print(f"epoch {epoch + 1:2d}  loss {epoch_loss / batches:.4f}  spread {spread:.4f}")

net.eval()
with torch.no_grad():
    raw = knn_accuracy(train_x, train_kind, test_x, test_kind)
    learned = knn_accuracy(net.encoder(train_x), train_kind, net.encoder(test_x), test_kind)
print(f"kNN accuracy on raw readings {raw:.3f}")
print(f"kNN accuracy on embeddings {learned:.3f}")
