import torch
import torch.nn as nn


class PrototypeLayer(nn.Module):
    def __init__(self, n_proto: int, dim: int):
        super().__init__()
        self.proto = nn.Parameter(torch.randn(n_proto, dim))

    def forward(self, z: torch.Tensor) -> torch.Tensor:
        d = torch.cdist(z.cpu(), self.proto.cpu())
        return -d.to(z.device)


class ProtoNet(nn.Module):
    def __init__(self, n_classes: int, dim: int = 64):
        super().__init__()
        self.enc = nn.Sequential(nn.Linear(784, 256), nn.ReLU(), nn.Linear(256, dim))
        self.proto = PrototypeLayer(n_classes, dim)

    def forward(self, x):
        return self.proto(self.enc(x))


def train(loader, n_classes, epochs=10):
    model = ProtoNet(n_classes).to("cuda")
    opt = torch.optim.Adam(model.parameters(), lr=1e-3)
    for _ in range(epochs):
        for x, y in loader:
            x, y = x.flatten(1).to("cuda"), y.to("cuda")
            loss = nn.functional.cross_entropy(model(x), y)
            opt.zero_grad()
            loss.backward()
            opt.step()
    return model
