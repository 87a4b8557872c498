"""Two persistent workers that draw random numbers of their own."""

import random

import torch
from digest import net_and_optimizer, seed, told
from torch.utils.data import DataLoader, Dataset, get_worker_info


class Noise(Dataset):
    def __len__(self):
        return 24

    def __getitem__(self, index):
        assert get_worker_info() is not None
        return torch.randn(6) + random.random(), index % 3


if __name__ == "__main__":
    seed()
    net, optimizer = net_and_optimizer()
    loader = DataLoader(Noise(), 8, shuffle=True, num_workers=2, persistent_workers=True)
    for _ in range(4):
        for x, y in loader:
            optimizer.zero_grad()
            loss = torch.nn.functional.cross_entropy(net(x), y)
            loss.backward()
            optimizer.step()
        print(repr(loss.item()))
    told(*net.parameters())
