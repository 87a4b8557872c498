"""Wind-turbine telemetry: one trunk, three heads (fault type, bearing temperature, output power)."""
import numpy as np
import torch
from torch import nn
from torch.nn import functional as F

conf = {
    "seed": 7,
    "data": {"n": 5000, "channels": 24},
    "model": {"hidden": [64, 12], "heads": {"fault": 4, "bearing": 1, "power": 1}},
    "loss": {"weights": {"fault": 1.0, "bearing": 500.0, "power": 0.5}},
    "train": {"epochs": 25, "batch": 100, "lr": 0.05, "momentum": 0.9, "clip": 5.0},
}


def telemetry(n, channels, rng):
    latent = rng.normal(size=(n, 6))
    loading = rng.normal(size=(6, channels)) / np.sqrt(6)
    x = latent @ loading + 0.1 * rng.normal(size=(n, channels))
    angle = np.arctan2(latent[:, 0], latent[:, 1] + 0.5 * latent[:, 2])
    fault = np.digitize(angle, [-np.pi / 2, 0, np.pi / 2])
    bearing = latent[:, 3] + 0.5 * latent[:, 3] * latent[:, 4] + 0.8 * rng.normal(size=n)
    power = np.tanh(latent[:, 5]) + 0.2 * rng.normal(size=n)
    return x.astype(np.float32), fault, bearing.astype(np.float32), power.astype(np.float32)


class MultiHead(nn.Module):
    def __init__(self, n_in, hidden, heads):
        super().__init__()
        dims = [n_in, *hidden]
        self.trunk = nn.Sequential(*[m for a, b in zip(dims, dims[1:]) for m in (nn.Linear(a, b), nn.ReLU())])
        self.heads = nn.ModuleDict({name: nn.Linear(dims[-1], k) for name, k in heads.items()})

    def forward(self, x):
        z = self.trunk(x)
        return {name: head(z) for name, head in self.heads.items()}


def losses(out, batch):
    return {
        "fault": F.cross_entropy(out["fault"], batch["fault"]),
        "bearing": F.mse_loss(out["bearing"].squeeze(1), batch["bearing"]),
        "power": F.mse_loss(out["power"].squeeze(1), batch["power"]),
    }


def combine(parts, weights):
    return sum(weights[name] * value for name, value in parts.items())


def evaluate(model, data):
    model.eval()
    with torch.no_grad():
        out = model(data["x"])
    r2 = lambda k: 1 - (F.mse_loss(out[k].squeeze(1), data[k]) / data[k].var(correction=0)).item()
    return {"fault_acc": (out["fault"].argmax(1) == data["fault"]).float().mean().item(),
            "bearing_r2": r2("bearing"), "power_r2": r2("power")}


def main(c):
    torch.manual_seed(c["seed"])
    x, fault, bearing, power = telemetry(**c["data"], rng=np.random.default_rng(c["seed"]))
    cut = int(0.8 * len(x))
    z = lambda a: (a - a[:cut].mean(0)) / a[:cut].std(0)
    full = {"x": z(x), "fault": fault, "bearing": z(bearing), "power": z(power)}
    full = {k: torch.as_tensor(v) for k, v in full.items()}
    train = {k: v[:cut] for k, v in full.items()}
    test = {k: v[cut:] for k, v in full.items()}

    t = c["train"]
    model = MultiHead(x.shape[1], c["model"]["hidden"], c["model"]["heads"])
    opt = torch.optim.SGD(model.parameters(), lr=t["lr"], momentum=t["momentum"])
    sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, t["epochs"])
    for epoch in range(t["epochs"]):
        model.train()
        sums = dict.fromkeys(c["loss"]["weights"], 0.0)
        order = torch.randperm(cut)
        for idx in order.split(t["batch"]):
            batch = {k: v[idx] for k, v in train.items()}
            parts = losses(model(batch["x"]), batch)
            opt.zero_grad()
            combine(parts, c["loss"]["weights"]).backward()
            nn.utils.clip_grad_norm_(model.parameters(), t["clip"])
            opt.step()
            for k, v in parts.items():
                sums[k] += v.item() * len(idx) / cut
        sched.step()
        if epoch % 4 == 0:
            print(f"{epoch:3d} " + " ".join(f"{k}={v:.3f}" for k, v in sums.items())
                  + " | " + " ".join(f"{k}={v:.3f}" for k, v in evaluate(model, test).items()))
    print("test:", {k: round(v, 3) for k, v in evaluate(model, test).items()})


if __name__ == "__main__":
    main(conf)
