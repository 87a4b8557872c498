import pandas as pd
import torch
import torch.nn as nn
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
df = pd.read_csv("kc_house_data.csv")
cols = ["bedrooms", "bathrooms", "sqft_living", "floors", "grade", "yr_built"]
train_df, val_df = train_test_split(df, test_size=0.2, random_state=0)
sx, sy = StandardScaler(), StandardScaler()
X = torch.tensor(sx.fit_transform(train_df[cols]), dtype=torch.float32)
y = torch.tensor(sy.fit_transform(train_df[["price"]]).ravel(), dtype=torch.float32)

loader = DataLoader(TensorDataset(X, y), batch_size=256, shuffle=True)
model = nn.Sequential(nn.Linear(len(cols), 64), nn.ReLU(), nn.Linear(64, 32), nn.ReLU(), nn.Linear(32, 1))
mse = nn.MSELoss()
opt = torch.optim.Adam(model.parameters(), lr=1e-3)

for epoch in range(100):
    for xb, yb in loader:
        pred = model(xb)
        loss = mse(pred, yb)
        opt.zero_grad()
        loss.backward()
        opt.step()
    if epoch % 10 == 0:
        print(epoch, loss.item())
