import torch
from torch.utils.data import DataLoader, DistributedSampler, IterableDataset, WeightedRandomSampler
from torchvision import datasets, transforms


class Stream(IterableDataset):
    def __iter__(self):
        yield torch.rand(3), torch.tensor(1)


def run(model, opt, rank, **loader_args):
    data = datasets.ImageFolder("train", transforms.ToTensor())
    weights = torch.ones(len(data))
    for loader in (
        DataLoader(data, 32, sampler=DistributedSampler(data, rank=rank)),
        DataLoader(data, 32, sampler=WeightedRandomSampler(weights, len(data))),
        DataLoader(data, **loader_args),
        DataLoader(Stream(), batch_size=32),
    ):
        for x, y in loader:
            opt.zero_grad()
            loss = torch.nn.functional.cross_entropy(model(x), y)
            loss.backward()
            opt.step()
