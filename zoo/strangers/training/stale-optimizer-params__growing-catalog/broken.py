"""Weekly refresh of the podcast recommender.

Matrix factorisation with biases and sampled negatives (BPR). New shows enter the catalogue every week, so the item
table grows between refreshes; users stay the same.
"""
import argparse
import math

import numpy as np
import torch
from torch import nn
from torch.nn import functional as F


class World:
    """Stand-in for the event log: listeners with tastes, shows with topics."""

    def __init__(self, n_users=400, n_topics=6, weekly_new=(220, 80, 80, 80), seed=8):
        self.rng = np.random.default_rng(seed)
        self.n_users = n_users
        self.taste = self.rng.dirichlet(np.full(n_topics, 0.25), n_users)
        total = sum(weekly_new)
        self.topic = self.rng.dirichlet(np.full(n_topics, 0.2), total)
        self.appeal = self.rng.normal(0, 0.4, total)
        self.catalogue_size = np.cumsum(weekly_new)
        self.heard = np.zeros((n_users, total), bool)

    def listens(self, week, per_user=20):
        """First listens of one week; fresh shows are on the front page and get half of the traffic."""
        n = self.catalogue_size[week]
        fresh = self.catalogue_size[week - 1] if week else 0
        affinity = 9.0 * self.taste @ self.topic[:n].T + self.appeal[:n]
        events = []
        for u in range(self.n_users):
            p = np.exp(affinity[u] - affinity[u].max()) * ~self.heard[u, :n]
            if week:
                boost = p[:fresh].sum() / p[fresh:].sum()
                p[fresh:] *= boost
            shows = self.rng.choice(n, per_user, replace=False, p=p / p.sum())
            self.heard[u, shows] = True
            events += [(u, s) for s in shows]
        events = np.array(events)
        self.rng.shuffle(events)
        return events


class BPR(nn.Module):
    def __init__(self, n_users, n_items, dim):
        super().__init__()
        self.dim = dim
        self.users = nn.Embedding(n_users, dim)
        self.items = nn.Embedding(n_items, dim)
        self.item_bias = nn.Embedding(n_items, 1)
        nn.init.normal_(self.users.weight, std=0.1)
        nn.init.normal_(self.items.weight, std=0.1)
        nn.init.zeros_(self.item_bias.weight)

    def forward(self, u, i):
        return (self.users(u) * self.items(i)).sum(-1) + self.item_bias(i).squeeze(-1)

    def scores(self, u):
        return self.users(u) @ self.items.weight.T + self.item_bias.weight.T

    @torch.no_grad()
    def grow(self, n_items):
        """Enlarge the item tables, keep what has been learned about the known shows."""
        known = self.items.num_embeddings
        items, bias = nn.Embedding(n_items, self.dim), nn.Embedding(n_items, 1)
        nn.init.normal_(items.weight, std=0.1)
        nn.init.zeros_(bias.weight)
        items.weight[:known] = self.items.weight
        bias.weight[:known] = self.item_bias.weight
        self.items, self.item_bias = items, bias


class Recommender:
    def __init__(self, n_users, n_items, args):
        self.args = args
        self.model = BPR(n_users, n_items, args.dim)
        self.optimizer = self.make_optimizer()

    def make_optimizer(self):
        return torch.optim.Adam(self.model.parameters(), lr=self.args.lr)

    def refresh(self, events, n_items, epochs):
        model = self.model
        if n_items > model.items.num_embeddings:
            model.grow(n_items)
        ev = torch.from_numpy(events)
        model.train()
        avg = math.nan
        for _ in range(epochs):
            total = 0.0
            for idx in torch.randperm(len(ev)).split(self.args.batch_size):
                u, pos = ev[idx, 0], ev[idx, 1]
                neg = torch.randint(0, n_items, pos.shape)
                bpr = -F.logsigmoid(model(u, pos) - model(u, neg)).mean()
                reg = sum(e.pow(2).sum(-1).mean() for e in (model.users(u), model.items(pos), model.items(neg)))
                loss = bpr + self.args.reg * reg
                self.optimizer.zero_grad()
                loss.backward()
                self.optimizer.step()
                total += bpr.item() * len(idx)
            avg = total / len(ev)
        return avg

    @torch.no_grad()
    def auc(self, held_out, seen, first_item=0):
        """Chance that a held-out listen outranks a show the user has not played so far."""
        self.model.eval()
        s = self.model.scores(torch.arange(self.model.users.num_embeddings))
        blocked = torch.zeros_like(s, dtype=torch.bool)
        blocked[seen[:, 0], seen[:, 1]] = True
        blocked[held_out[:, 0], held_out[:, 1]] = True
        blocked[:, :first_item] = True
        vals = []
        for u, i in held_out:
            if i >= first_item:
                vals.append((s[u, i] > s[u][~blocked[u]]).float().mean().item())
        return float(np.mean(vals))


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--dim", type=int, default=12)
    ap.add_argument("--lr", type=float, default=1e-2)
    ap.add_argument("--reg", type=float, default=2e-3)
    ap.add_argument("--batch-size", type=int, default=256)
    ap.add_argument("--epochs", type=int, default=12)
    args = ap.parse_args()
    torch.manual_seed(0)

    world = World()
    history = []
    rec = Recommender(world.n_users, int(world.catalogue_size[0]), args)
    for week, n_items in enumerate(world.catalogue_size.tolist()):
        events = world.listens(week)
        cut = int(0.85 * len(events))
        fit, hold = events[:cut], events[cut:]
        history.append(events)
        seen = np.concatenate(history)
        loss = rec.refresh(fit, n_items, args.epochs)
        line = f"week {week}: {n_items} shows, {len(fit)} listens, bpr {loss:.4f}, held-out AUC {rec.auc(hold, seen):.3f}"
        if week:
            line += f", new shows only {rec.auc(hold, seen, int(world.catalogue_size[week - 1])):.3f}"
        print(line)


if __name__ == "__main__":
    main()
