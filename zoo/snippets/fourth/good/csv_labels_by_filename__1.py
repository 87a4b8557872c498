import os
import pandas as pd
from PIL import Image
from torch.utils.data import Dataset


class Xrays(Dataset):
    def __init__(self, root, csv, tf):
        self.df = pd.read_csv(csv).sample(frac=1.0, random_state=1).reset_index(drop=True)
        self.root, self.tf = root, tf

    def __len__(self):
        return len(self.df)

    def __getitem__(self, i):
        row = self.df.iloc[i]
        return self.tf(Image.open(os.path.join(self.root, row["file"]))), int(row["label"])
