"""Synthetic ad-impression log with high-cardinality categorical columns."""
from dataclasses import dataclass

import numpy as np
import torch

CARDINALITY = {"site": 120, "ad": 90, "device": 12, "region": 40}
NUMERIC = ["hour_sin", "hour_cos", "bid"]


@dataclass
class Log:
    cats: dict
    nums: torch.Tensor
    click: torch.Tensor

    def __len__(self):
        return len(self.click)

    def rows(self, idx):
        return Log({k: v[idx] for k, v in self.cats.items()}, self.nums[idx], self.click[idx])


def make_log(n, seed):
    rng = np.random.default_rng(seed)
    effect = np.random.default_rng(99)      # the world, the same for every log
    cats, score = {}, np.zeros(n)
    for name, card in CARDINALITY.items():
        value = rng.integers(0, card, n)
        cats[name] = torch.from_numpy(value)
        score += effect.normal(0, 1.1, card)[value]
    site_vec = effect.normal(0, 1, (CARDINALITY["site"], 2))
    ad_vec = effect.normal(0, 1, (CARDINALITY["ad"], 2))
    score += (site_vec[cats["site"]] * ad_vec[cats["ad"]]).sum(1)
    hour = rng.uniform(0, 2 * np.pi, n)
    bid = rng.normal(0, 1, n)
    score += 0.4 * np.sin(hour) + 0.3 * bid
    click = rng.uniform(size=n) < 1 / (1 + np.exp(-1.5 * score))
    nums = np.stack([np.sin(hour), np.cos(hour), bid], 1)
    return Log(cats, torch.from_numpy(nums).float(), torch.from_numpy(click).float())


def batches(log, size, generator):
    order = torch.randperm(len(log), generator=generator)
    for chunk in order.split(size):
        yield log.rows(chunk)
