import torch
from torch.utils.data import DataLoader, IterableDataset


class Shards(IterableDataset):
    def __init__(self, urls, decode, buffer=10_000):
        self.urls, self.decode, self.buffer = urls, decode, buffer

    def __iter__(self):
        info = torch.utils.data.get_worker_info()
        urls = self.urls if info is None else self.urls[info.id :: info.num_workers]
        pool = []
        for url in urls:
            for item in self.decode(url):
                pool.append(item)
                if len(pool) >= self.buffer:
                    yield pool.pop(torch.randint(len(pool), ()).item())
        yield from pool


def make(urls, decode):
    train_loader = DataLoader(Shards(urls, decode), batch_size=256, num_workers=8)
    return train_loader
