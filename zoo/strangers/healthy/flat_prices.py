import numpy as np
import pandas as pd
import torch
import torch.nn as nn
from sklearn.metrics import mean_absolute_error, r2_score
from sklearn.model_selection import train_test_split
from torch.utils.data import DataLoader, Dataset

SEED = 7
np.random.seed(SEED)
torch.manual_seed(SEED)

# ---- make a table of flats ----
n = 4000
df = pd.DataFrame({
    "area": np.random.gamma(9, 8, n).clip(18, 220),
    "rooms": np.random.randint(1, 6, n),
    "floor": np.random.randint(0, 12, n),
    "age": np.random.uniform(0, 100, n),
    "km_center": np.random.gamma(2, 2.5, n),
    "district": np.random.choice(["north", "south", "east", "west", "old town"], n),
})
factor = df["district"].map({"north": 1.0, "south": 0.9, "east": 0.8, "west": 1.1, "old town": 1.4})
price = 2.2 * df["area"] * factor * np.exp(-0.06 * df["km_center"])
price += 6 * df["rooms"] + 1.2 * df["floor"] - 0.012 * df["age"] * (100 - df["age"]) + 35
df["price"] = price * np.random.lognormal(0, 0.06, n)      # thousand euros

# ---- split, then prepare with statistics of the training part ----
train_df, test_df = train_test_split(df, test_size=0.2, random_state=SEED)
train_df, val_df = train_test_split(train_df, test_size=0.15, random_state=SEED)

num_cols = ["area", "rooms", "floor", "age", "km_center"]
mean, std = train_df[num_cols].mean(), train_df[num_cols].std()
y_mean, y_std = train_df["price"].mean(), train_df["price"].std()
districts = {name: i for i, name in enumerate(sorted(train_df["district"].unique()))}


class FlatDataset(Dataset):
    def __init__(self, frame):
        self.num = torch.tensor(((frame[num_cols] - mean) / std).to_numpy(), dtype=torch.float32)
        self.cat = torch.tensor(frame["district"].map(districts).to_numpy(dtype=np.int64))
        self.y = torch.tensor(((frame["price"] - y_mean) / y_std).to_numpy(), dtype=torch.float32)

    def __len__(self):
        return len(self.y)

    def __getitem__(self, idx):
        return self.num[idx], self.cat[idx], self.y[idx]


class PriceNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.emb = nn.Embedding(len(districts), 3)
        self.fc = nn.Sequential(
            nn.Linear(len(num_cols) + 3, 64), nn.ReLU(),
            nn.Linear(64, 64), nn.ReLU(),
            nn.Linear(64, 1),
        )

    def forward(self, num, cat):
        x = torch.cat([num, self.emb(cat)], dim=1)
        return self.fc(x).squeeze(1)


train_dl = DataLoader(FlatDataset(train_df), batch_size=64, shuffle=True)
val_dl = DataLoader(FlatDataset(val_df), batch_size=256)
test_dl = DataLoader(FlatDataset(test_df), batch_size=256)

model = PriceNet()
loss_fn = nn.MSELoss()
opt = torch.optim.Adam(model.parameters(), lr=2e-3)
scheduler = torch.optim.lr_scheduler.StepLR(opt, step_size=10, gamma=0.3)


def predict(loader):
    model.eval()
    preds, ys = [], []
    with torch.no_grad():
        for num, cat, y in loader:
            preds.append(model(num, cat))
            ys.append(y)
    return torch.cat(preds), torch.cat(ys)


for epoch in range(30):
    model.train()
    losses = []
    for num, cat, y in train_dl:
        pred = model(num, cat)
        loss = loss_fn(pred, y)
        opt.zero_grad()
        loss.backward()
        opt.step()
        losses.append((loss.item(), len(y)))
    scheduler.step()
    train_loss = sum(l * k for l, k in losses) / sum(k for _, k in losses)
    val_pred, val_y = predict(val_dl)
    print(f"epoch {epoch + 1}: train mse {train_loss:.4f}, val mse {loss_fn(val_pred, val_y).item():.4f}, lr {scheduler.get_last_lr()[0]:.1e}")

test_pred, test_y = predict(test_dl)
p = test_pred.numpy() * y_std + y_mean
t = test_y.numpy() * y_std + y_mean
print(f"test: MAE {mean_absolute_error(t, p):.1f} thousand euros, R2 {r2_score(t, p):.3f}")
