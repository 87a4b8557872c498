import torch
import torch.nn.functional as F
from torch import nn


def fit(kind, x, y, x_val, y_val):
    net = nn.Sequential(nn.Linear(6, 24), nn.ReLU(), nn.Linear(24, 1)).to("cpu")
    optimizer = torch.optim.Adam(net.parameters())
    lowest, kept, halves, arrays = float("inf"), {}, {}, {}
    for _ in range(80):
        for rows in torch.randperm(len(x)).split(50):
            optimizer.zero_grad()
            F.mse_loss(net(x[rows]), y[rows]).backward()
            optimizer.step()
        with torch.no_grad():
            loss = F.mse_loss(net(x_val), y_val).item()
        if loss < lowest:
            lowest = loss
            kept = {k: v.cpu().clone() for k, v in net.state_dict().items()}
            halves = {k: v.to("cpu", torch.float16) for k, v in net.state_dict().items()}
            arrays = {k: v.cpu().numpy().copy() for k, v in net.state_dict().items()}
    if kind == "halves":
        net.load_state_dict(halves)
    elif kind == "arrays":
        net.load_state_dict({k: torch.from_numpy(v) for k, v in arrays.items()})
    else:
        net.load_state_dict(kept)
    return net


x = torch.randn(500, 6)
y = x[:, :1] * x[:, 1:2]
for kind in ("kept", "halves", "arrays"):
    torch.manual_seed(0)
    print(fit(kind, x[:400], y[:400], x[400:], y[400:]))
