import random
from pathlib import Path

import pandas as pd
import torch
from torch.utils.data import TensorDataset

files = sorted(Path("data").glob("*/*.pt"))
random.shuffle(files)
labels = [int(f.parent.name) for f in files]
x = torch.stack([torch.load(f) for f in files])
data = TensorDataset(x, torch.tensor(labels))

df = pd.read_csv("t.csv").sample(frac=1.0)
X, y = df.drop(columns="y").values, df["y"].values
table = TensorDataset(torch.tensor(X), torch.tensor(y))
