from torch.utils.data import Dataset


class Scaled(Dataset):
    def __init__(self, records):
        self.records = records

    def __len__(self):
        return len(self.records)

    def __getitem__(self, index):
        item = self.records[index]
        item["image"] = item["image"] / 255.0  # inplace-corruption
        return item["image"], item["label"]
