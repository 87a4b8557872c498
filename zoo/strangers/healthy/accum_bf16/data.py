"""Event logs: which of the markers A / B / C occurs first? Every log holds all three."""
import torch
from torch.nn.utils.rnn import pad_sequence
from torch.utils.data import Dataset

PAD = 0
MARKERS = (1, 2, 3)


class EventLogs(Dataset):
    def __init__(self, n, vocab, min_len, max_len, seed):
        g = torch.Generator().manual_seed(seed)
        self.items = []
        for i in range(n):
            length = int(torch.randint(min_len, max_len + 1, (), generator=g))
            log = torch.randint(4, vocab, (length,), generator=g)
            places = torch.randperm(length, generator=g)[:3]
            order = torch.randperm(3, generator=g)
            log[places] = torch.tensor(MARKERS)[order]
            self.items.append((log, int(log[places.min()]) - 1))

    def __len__(self):
        return len(self.items)

    def __getitem__(self, i):
        return self.items[i]


def pad(batch):
    logs, first = zip(*batch)
    return pad_sequence(logs, batch_first=True, padding_value=PAD), torch.tensor(first)
