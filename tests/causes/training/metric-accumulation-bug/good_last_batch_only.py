import torch
from torch.utils.data import DataLoader


def each_batch(network, batches):
    seen = 0
    for picture, kind in batches:
        right = (network(picture).argmax(-1) == kind).sum().item()
        seen += len(kind)
        print(right / len(kind), seen)


def first_batch(network, batches):
    seen = 0
    for picture, kind in batches:
        right = (network(picture).argmax(-1) == kind).sum().item()
        seen += len(kind)
        break
    return right / seen


def all_at_once(network, held_out):
    serve = DataLoader(held_out, batch_size=len(held_out))
    for picture, kind in serve:
        right = (network(picture).argmax(-1) == kind).sum().item()
    return right / len(serve.dataset)


def last_batch(network, batches):
    for picture, kind in batches:
        right = (network(picture).argmax(-1) == kind).sum().item()
    return right / len(kind)


def gathered(network, batches):
    total = torch.zeros(())
    for picture, kind in batches:
        right = (network(picture).argmax(-1) == kind).sum()
        total = total + right
    return total / len(batches.dataset)
