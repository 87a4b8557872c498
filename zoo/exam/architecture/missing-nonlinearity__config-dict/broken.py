import json
import math

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset, random_split

CONFIG = json.loads("""{
  "model": {"layers": [2, 64, 64, 64, 1], "activation": "ReLU", "bias": true},
  "optim": {"name": "AdamW", "lr": 0.004, "weight_decay": 0.0001},
  "train": {"epochs": 25, "batch_size": 50, "seed": 12}
}""")

ACTIVATIONS = {"relu": nn.ReLU, "tanh": nn.Tanh, "gelu": nn.GELU}


def build_model(spec):
    act = ACTIVATIONS.get(spec["activation"], nn.Identity)
    sizes, stack = spec["layers"], []
    for i in range(len(sizes) - 1):
        stack.append(nn.Linear(sizes[i], sizes[i + 1], bias=spec["bias"]))
        if i < len(sizes) - 2:
            stack.append(act())
    return nn.Sequential(*stack)


def build_optimizer(params, spec):
    spec = dict(spec)
    return getattr(torch.optim, spec.pop("name"))(params, **spec)


def spirals(n):
    r = torch.rand(n) * 0.9 + 0.1
    y = torch.randint(0, 2, (n,)).float()
    a = r * 2.2 * math.pi + y * math.pi
    x = torch.stack([r * torch.cos(a), r * torch.sin(a)], 1) + 0.02 * torch.randn(n, 2)
    return TensorDataset(x * 2, y)


def main(cfg):
    torch.manual_seed(cfg["train"]["seed"])
    train, val = random_split(spirals(2500), [2000, 500])
    model = build_model(cfg["model"])
    opt = build_optimizer(model.parameters(), cfg["optim"])
    crit = nn.BCEWithLogitsLoss()
    for epoch in range(cfg["train"]["epochs"]):
        for x, y in DataLoader(train, cfg["train"]["batch_size"], shuffle=True):
            loss = crit(model(x).squeeze(-1), y)
            opt.zero_grad()
            loss.backward()
            opt.step()
        if epoch % 6 == 0:
            print(f"epoch {epoch} loss {loss.item():.4f}")
    with torch.no_grad():
        x, y = next(iter(DataLoader(val, 500)))
        print(f"spiral accuracy {((model(x).squeeze(-1) > 0) == y.bool()).float().mean():.3f}")


main(CONFIG)
