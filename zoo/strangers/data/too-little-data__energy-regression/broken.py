# House energy regression with PyTorch (kernel v4)

# In[1]:
import numpy as np
import pandas as pd
import torch
import torch.nn as nn

np.random.seed(11)
torch.manual_seed(11)
torch.set_num_threads(1)

# In[2]: build the dataframe
n = 6000
df = pd.DataFrame(np.random.uniform(0, 1, (n, 8)),
                  columns=["glazing", "wall", "roof", "height", "orient", "floor", "shade", "vent"])
df["load"] = (
    10 * np.sin(np.pi * df.glazing * df.wall)
    + 20 * (df.roof - 0.5) ** 2
    + 10 * df.height
    + 5 * df.orient
    + np.random.normal(0, 0.7, n)
)
print(df.describe().loc[["mean", "std"]].round(2).to_string())

# In[3]: split
test_df = df.iloc[5000:]
val_df = df.iloc[4000:5000]
train_df = df.iloc[:60]
print("rows:", len(train_df), len(val_df), len(test_df))

FEATS = [c for c in df.columns if c != "load"]
x_mean, x_std = train_df[FEATS].mean(), train_df[FEATS].std()
y_mean, y_std = train_df["load"].mean(), train_df["load"].std()


def to_xy(d):
    x = torch.tensor(((d[FEATS] - x_mean) / x_std).values, dtype=torch.float32)
    y = torch.tensor(((d["load"] - y_mean) / y_std).values, dtype=torch.float32)
    return x, y


x_train, y_train = to_xy(train_df)
x_val, y_val = to_xy(val_df)
x_test, y_test = to_xy(test_df)

# In[4]: network
model = nn.Sequential(
    nn.Linear(8, 48), nn.ReLU(),
    nn.Linear(48, 48), nn.ReLU(),
    nn.Linear(48, 1),
)
mse = nn.MSELoss()
optimizer = torch.optim.AdamW(model.parameters(), lr=2e-3, weight_decay=0.02)
STEPS = 3000
scheduler = torch.optim.lr_scheduler.OneCycleLR(optimizer, max_lr=2e-3, total_steps=STEPS)

# In[5]: fit
roll = 0.0
for step in range(1, STEPS + 1):
    model.train()
    idx = torch.randint(0, len(x_train), (64,))
    loss = mse(model(x_train[idx]).squeeze(1), y_train[idx])
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    scheduler.step()
    roll += loss.item()
    if step % 300 == 0:
        model.eval()
        with torch.no_grad():
            v = mse(model(x_val).squeeze(1), y_val).item()
        print(f"step {step:5d}  train mse {roll / 300:.4f}  val mse {v:.4f}")
        roll = 0.0

# In[6]: test score
model.eval()
with torch.no_grad():
    p = model(x_test).squeeze(1)
r2 = 1 - ((p - y_test) ** 2).sum() / ((y_test - y_test.mean()) ** 2).sum()
print("test RMSE:", round((mse(p, y_test).sqrt() * y_std).item(), 3), " R2:", round(r2.item(), 4))
