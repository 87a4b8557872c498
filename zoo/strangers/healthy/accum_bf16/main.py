import json
from pathlib import Path

import torch
from torch.utils.data import DataLoader

from data import EventLogs, pad
from net import LogEncoder
from trainer import Trainer

cfg = json.loads((Path(__file__).parent / "config.json").read_text())
torch.manual_seed(cfg["seed"])

d, t = dict(cfg["data"]), dict(cfg["train"])
sizes = {name: d.pop(f"n_{name}") for name in ("train", "val", "test")}
sets = {name: EventLogs(n, seed=cfg["seed"] + 1000 * i, **d) for i, (name, n) in enumerate(sizes.items())}

# logs are drawn at random and short ones could meet by chance: keep held-out logs that training has not seen
known = {tuple(log.tolist()) for log, _ in sets["train"].items}
for name in ("val", "test"):
    sets[name].items = [it for it in sets[name].items if tuple(it[0].tolist()) not in known]

micro = t.pop("micro_batch")
train_loader = DataLoader(sets["train"], micro, shuffle=True, collate_fn=pad)
val_loader, test_loader = (DataLoader(sets[n], 200, collate_fn=pad) for n in ("val", "test"))

model = LogEncoder(d["vocab"], d["max_len"], **cfg["model"])
print(f"{sum(p.numel() for p in model.parameters())} parameters, micro-batch {micro}, effective {micro * t['accumulate']}")
trainer = Trainer(model, train_loader, val_loader, **t)
trainer.fit()
print("test: loss %.4f accuracy %.3f" % trainer.evaluate(test_loader))
