import torch
from torch.utils.data import Dataset


class Scans(Dataset):
    def __init__(self, scans, is_train):
        self.scans, self.is_train = scans, is_train

    def __getitem__(self, place):
        scan = torch.as_tensor(self.scans[place]).float()
        if self.is_train:
            scan = scan / 255  # preprocessing-mismatch
        return scan
