import pandas as pd
import torch
from torch.utils.data import DataLoader, Dataset


class Table(Dataset):
    def __init__(self, path):
        df = pd.read_csv(path)
        self.x = torch.tensor(df.drop(columns="label").values).float()
        self.y = torch.tensor(df["label"].values)

    def __len__(self):
        return len(self.y)

    def __getitem__(self, i):
        return self.x[i], self.y[i]


class Trainer:
    def __init__(self, model):
        self.model = model
        self.optimizer = torch.optim.Adam(model.parameters())
        self.train_loader = DataLoader(Table("train.csv"), batch_size=64)  # unshuffled-training
        self.val_loader = DataLoader(Table("val.csv"), batch_size=64)

    def fit(self, epochs):
        for _ in range(epochs):
            for x, y in self.train_loader:
                self.optimizer.zero_grad()
                loss = torch.nn.functional.cross_entropy(self.model(x), y)
                loss.backward()
                self.optimizer.step()


Trainer(torch.nn.Linear(8, 3)).fit(10)
