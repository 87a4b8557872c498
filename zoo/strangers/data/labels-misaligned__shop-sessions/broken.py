# %% [markdown]
# ## Will the visitor buy?
# Click log -> one row per session -> small network.

# %%
import numpy as np
import pandas as pd
import torch
import torch.nn as nn

np.random.seed(21)
torch.manual_seed(21)

# %%
# --- synthetic export from the web shop -------------------------------------------------
N = 3000
ids = ["".join(np.random.choice(list("abcdef0123456789"), 8)) for _ in range(N)]
intent = np.random.randn(N)
sessions = pd.DataFrame({
    "session_id": ids,
    "bought": (intent + 0.35 * np.random.randn(N) > 0.3).astype(int),
})

rows = []
for sid, z in zip(ids, intent):
    k = np.random.poisson(6) + 2
    dwell = np.exp(0.5 * z + 0.6 * np.random.randn(k))
    cart = np.random.rand(k) < 1 / (1 + np.exp(2.0 - 1.2 * z))
    price = np.exp(3 + 0.4 * np.random.randn(k) - 0.15 * z)
    rows.append(pd.DataFrame({"session_id": sid, "dwell": dwell, "cart": cart.astype(float), "price": price}))
clicks = pd.concat(rows, ignore_index=True)
print(clicks.shape, sessions.bought.mean())

# %%
clicks["log_dwell"] = np.log(clicks.dwell)
clicks["log_price"] = np.log(clicks.price)
per_session = clicks.groupby("session_id").agg(
    n=("cart", "size"),
    dwell_mean=("log_dwell", "mean"),
    dwell_max=("log_dwell", "max"),
    cart_rate=("cart", "mean"),
    cart_any=("cart", "max"),
    price_mean=("log_price", "mean"),
    price_min=("log_price", "min"),
)
X = per_session.to_numpy(dtype=np.float32)
y = sessions["bought"].to_numpy(dtype=np.float32)
assert len(X) == len(y)

# %%
perm = np.random.permutation(len(X))
tr, va = perm[:2300], perm[2300:]
mean, std = X[tr].mean(0), X[tr].std(0)
X = (X - mean) / std
Xt, yt = torch.tensor(X[tr]), torch.tensor(y[tr])
Xv, yv = torch.tensor(X[va]), torch.tensor(y[va])

# %%
model = nn.Sequential(
    nn.Linear(X.shape[1], 32), nn.ReLU(),
    nn.Linear(32, 16), nn.ReLU(),
    nn.Linear(16, 1),
)
opt = torch.optim.Adam(model.parameters(), lr=2e-3, weight_decay=1e-4)
loss_fn = nn.BCEWithLogitsLoss()

for epoch in range(25):
    model.train()
    losses = []
    for idx in torch.randperm(len(Xt)).split(64):
        opt.zero_grad()
        loss = loss_fn(model(Xt[idx]).squeeze(-1), yt[idx])
        loss.backward()
        opt.step()
        losses.append(loss.item())
    model.eval()
    with torch.no_grad():
        logit = model(Xv).squeeze(-1)
    if epoch % 5 == 4:
        acc = ((logit > 0).float() == yv).float().mean().item()
        print(f"epoch {epoch + 1:2d}  train loss {np.mean(losses):.4f}  val loss {loss_fn(logit, yv).item():.4f}  val acc {acc:.3f}")

# %%
print(f"majority baseline {max(yv.mean().item(), 1 - yv.mean().item()):.3f}")
print(f"validation accuracy {((logit > 0).float() == yv).float().mean().item():.4f}")
