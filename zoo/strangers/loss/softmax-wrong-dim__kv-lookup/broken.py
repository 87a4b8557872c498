"""Key/value lookup: read a memory of (key, value) slots, answer a query key."""
import logging
import math

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset

logging.basicConfig(level=logging.INFO, format="%(asctime)s %(message)s", datefmt="%H:%M:%S")
log = logging.getLogger("lookup")

CFG = {
    "seed": 7,
    "data": {"n_train": 8000, "n_val": 1000, "n_test": 1000, "slots": 10, "n_keys": 24, "n_values": 12},
    "model": {"dim": 48},
    "optim": {"lr": 2e-3, "batch_size": 128, "epochs": 14},
}


def sample_memory(n, slots, n_keys, n_values, gen):
    keys = torch.stack([torch.randperm(n_keys, generator=gen)[:slots] for _ in range(n)])
    values = torch.randint(0, n_values, (n, slots), generator=gen)
    pick = torch.randint(0, slots, (n, 1), generator=gen)
    query = keys.gather(1, pick).squeeze(1)
    answer = values.gather(1, pick).squeeze(1)
    return keys, values, query, answer


class MemoryReader(nn.Module):
    def __init__(self, n_keys, n_values, dim):
        super().__init__()
        self.key_emb = nn.Embedding(n_keys, dim)
        self.val_emb = nn.Embedding(n_values, dim)
        self.to_q = nn.Linear(dim, dim)
        self.to_k = nn.Linear(dim, dim)
        self.to_v = nn.Linear(dim, dim)
        self.head = nn.Sequential(nn.LayerNorm(dim), nn.Linear(dim, dim), nn.GELU(), nn.Linear(dim, n_values))
        self.scale = 1.0 / math.sqrt(dim)

    def forward(self, keys, values, query):
        k_tok = self.key_emb(keys)
        q = self.to_q(self.key_emb(query)).unsqueeze(1)
        k = self.to_k(k_tok)
        v = self.to_v(self.val_emb(values))
        scores = torch.einsum("bqd,bkd->bqk", q, k) * self.scale
        weights = F.softmax(scores, dim=1)
        read = torch.einsum("bqk,bkd->bqd", weights, v).squeeze(1)
        return self.head(read)


@torch.no_grad()
def evaluate(model, loader):
    model.eval()
    loss, hit, n = 0.0, 0, 0
    for keys, values, query, answer in loader:
        logits = model(keys, values, query)
        loss += F.cross_entropy(logits, answer, reduction="sum").item()
        hit += (logits.argmax(dim=1) == answer).sum().item()
        n += answer.numel()
    return loss / n, hit / n


def main(cfg):
    torch.manual_seed(cfg["seed"])
    torch.set_num_threads(1)
    d = cfg["data"]
    gen = torch.Generator().manual_seed(cfg["seed"])
    splits = {
        name: TensorDataset(*sample_memory(d[f"n_{name}"], d["slots"], d["n_keys"], d["n_values"], gen))
        for name in ("train", "val", "test")
    }
    bs = cfg["optim"]["batch_size"]
    train_loader = DataLoader(splits["train"], batch_size=bs, shuffle=True, generator=gen)
    val_loader = DataLoader(splits["val"], batch_size=bs)
    test_loader = DataLoader(splits["test"], batch_size=bs)

    model = MemoryReader(d["n_keys"], d["n_values"], cfg["model"]["dim"])
    opt = torch.optim.Adam(model.parameters(), lr=cfg["optim"]["lr"])
    log.info("parameters: %d", sum(p.numel() for p in model.parameters()))

    for epoch in range(1, cfg["optim"]["epochs"] + 1):
        model.train()
        total, n = 0.0, 0
        for keys, values, query, answer in train_loader:
            loss = F.cross_entropy(model(keys, values, query), answer)
            opt.zero_grad()
            loss.backward()
            opt.step()
            total += loss.item() * answer.numel()
            n += answer.numel()
        val_loss, val_acc = evaluate(model, val_loader)
        log.info("epoch %2d  train %.4f  val %.4f  val acc %.3f", epoch, total / n, val_loss, val_acc)

    test_loss, test_acc = evaluate(model, test_loader)
    log.info("test loss %.4f  test acc %.3f  (chance %.3f)", test_loss, test_acc, 1 / d["n_values"])


if __name__ == "__main__":
    main(CFG)
