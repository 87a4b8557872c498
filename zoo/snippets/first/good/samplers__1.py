import torch
from torch.utils.data import DataLoader, IterableDataset, WeightedRandomSampler


def balanced_loader(dataset, labels, bs=64):
    counts = torch.bincount(labels)
    weights = 1.0 / counts[labels].float()
    sampler = WeightedRandomSampler(weights, num_samples=len(labels), replacement=True)
    return DataLoader(dataset, batch_size=bs, sampler=sampler)


class Stream(IterableDataset):
    def __init__(self, shards, buffer=10_000):
        self.shards, self.buffer = shards, buffer

    def __iter__(self):
        info = torch.utils.data.get_worker_info()
        shards = self.shards if info is None else self.shards[info.id::info.num_workers]
        g = torch.Generator().manual_seed(torch.initial_seed() % 2**63)
        pool = []
        for path in shards:
            for item in read_shard(path):
                if len(pool) < self.buffer:
                    pool.append(item)
                    continue
                i = int(torch.randint(len(pool), (1,), generator=g))
                yield pool[i]
                pool[i] = item
        yield from pool


train_loader = DataLoader(Stream(train_shards), batch_size=256, num_workers=8)
kwargs = {"batch_size": 64, "shuffle": True, "num_workers": 2}
small_train_loader = DataLoader(small_train, **kwargs)
