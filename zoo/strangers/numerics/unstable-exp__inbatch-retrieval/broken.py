"""Query -> document retrieval, trained with in-batch negatives."""
from __future__ import annotations

import argparse
import logging

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor, nn

torch.set_num_threads(1)
logging.basicConfig(level=logging.INFO, format="%(asctime)s %(message)s", datefmt="%H:%M:%S")
log = logging.getLogger("retrieval")


class PairSource:
    """Queries and documents are two noisy views of the same latent topic vector."""

    def __init__(self, n: int, dim: int, seed: int) -> None:
        rng = np.random.default_rng(seed)
        latent = rng.normal(size=(n, 8))
        to_query = rng.normal(size=(8, dim)) / np.sqrt(8)
        to_doc = rng.normal(size=(8, dim)) / np.sqrt(8)
        noise = lambda: 0.3 * rng.normal(size=(n, dim))
        self.queries = torch.as_tensor(latent @ to_query + noise(), dtype=torch.float32)
        self.docs = torch.as_tensor(latent @ to_doc + noise(), dtype=torch.float32)

    def split(self, n_train: int) -> tuple[tuple[Tensor, Tensor], tuple[Tensor, Tensor]]:
        q, d = self.queries, self.docs
        q_mu, q_sd = q[:n_train].mean(0), q[:n_train].std(0)
        d_mu, d_sd = d[:n_train].mean(0), d[:n_train].std(0)
        q, d = (q - q_mu) / q_sd, (d - d_mu) / d_sd
        return (q[:n_train], d[:n_train]), (q[n_train:], d[n_train:])


class Encoder(nn.Module):
    def __init__(self, in_dim: int, out_dim: int) -> None:
        super().__init__()
        self.net = nn.Sequential(nn.Linear(in_dim, 64), nn.ReLU(), nn.Linear(64, out_dim))

    def forward(self, x: Tensor) -> Tensor:
        return F.normalize(self.net(x), dim=-1)


class InBatchLoss(nn.Module):
    """-log p(doc_i | query_i) with the other documents of the batch as negatives."""

    def __init__(self, temperature: float) -> None:
        super().__init__()
        self.temperature = temperature

    def forward(self, q: Tensor, d: Tensor) -> Tensor:
        sim = q @ d.T / self.temperature
        log_norm = torch.exp(sim).sum(dim=1).log()
        return (log_norm - sim.diagonal()).mean()


@torch.no_grad()
def recall_at_1(q_enc: nn.Module, d_enc: nn.Module, pairs: tuple[Tensor, Tensor], pool: int = 100) -> float:
    q_enc.eval()
    d_enc.eval()
    q, d = q_enc(pairs[0]), d_enc(pairs[1])
    hits = 0
    for s in range(0, len(q), pool):
        sim = q[s:s + pool] @ d[s:s + pool].T
        hits += (sim.argmax(1) == torch.arange(len(sim))).sum().item()
    return hits / len(q)


def parse_args() -> argparse.Namespace:
    p = argparse.ArgumentParser()
    p.add_argument("--dim", type=int, default=24)
    p.add_argument("--embed", type=int, default=16)
    p.add_argument("--temperature", type=float, default=0.01)
    p.add_argument("--steps", type=int, default=3000)
    p.add_argument("--batch-size", type=int, default=64)
    p.add_argument("--lr", type=float, default=2e-3)
    p.add_argument("--seed", type=int, default=8)
    return p.parse_args()


def main() -> None:
    args = parse_args()
    torch.manual_seed(args.seed)
    train, test = PairSource(14_000, args.dim, args.seed).split(12_000)

    q_enc, d_enc = Encoder(args.dim, args.embed), Encoder(args.dim, args.embed)
    params = [*q_enc.parameters(), *d_enc.parameters()]
    opt = torch.optim.Adam(params, lr=args.lr)
    sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, T_max=args.steps)
    loss_fn = InBatchLoss(args.temperature)

    gen = torch.Generator().manual_seed(args.seed)
    window: list[float] = []
    for step in range(1, args.steps + 1):
        q_enc.train()
        d_enc.train()
        idx = torch.randint(len(train[0]), (args.batch_size,), generator=gen)
        loss = loss_fn(q_enc(train[0][idx]), d_enc(train[1][idx]))
        opt.zero_grad()
        loss.backward()
        opt.step()
        sched.step()
        window.append(loss.item())
        if step % 300 == 0:
            log.info("step %4d  loss %.4f  recall@1 %.3f", step, float(np.mean(window)), recall_at_1(q_enc, d_enc, test))
            window.clear()


if __name__ == "__main__":
    main()
