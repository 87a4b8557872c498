from torch.utils.data import Dataset


class WithLabels(Dataset):
    def __init__(self, inner, labels):
        self.inner = inner
        self.labels = labels

    def __len__(self):
        return len(self.inner)

    def __getitem__(self, index):
        item = self.inner[index]
        item["label"] = self.labels[index]
        return item
