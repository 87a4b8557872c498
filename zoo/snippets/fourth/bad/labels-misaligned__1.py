import pandas as pd
import torch
from torch.utils.data import TensorDataset, DataLoader

df = pd.read_csv("wine.csv")
y = torch.tensor(df.pop("quality").values)
df = df.sample(frac=1, random_state=0).reset_index(drop=True)
x = torch.tensor(df.values, dtype=torch.float32)
dl = DataLoader(TensorDataset(x, y), batch_size=32, shuffle=True)
