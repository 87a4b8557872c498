import torch
import torch.nn.functional as F

features, labels = torch.load("features.pt")
probe = torch.nn.Linear(features.shape[1], 10)
optimizer = torch.optim.SGD(probe.parameters(), lr=0.5, weight_decay=0.1)
for _ in range(100):
    optimizer.zero_grad()
    F.cross_entropy(probe(features), labels).backward()
    optimizer.step()
