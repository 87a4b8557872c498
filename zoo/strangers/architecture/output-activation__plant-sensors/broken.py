import numpy as np
import pandas as pd
import torch
import torch.nn as nn
import torch.optim as optim
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler

np.random.seed(0)
torch.manual_seed(0)

# --- Data: power plant sensors driven by four hidden states -----------------
n = 3000
hidden = np.random.randn(n, 4)
mix = np.random.randn(4, 16)
readings = hidden @ mix + 0.5 * np.tanh(hidden) @ np.random.randn(4, 16) + 0.25 * np.random.randn(n, 16)
offset = np.random.uniform(20, 200, 16)
gain = np.random.uniform(1, 15, 16)
df = pd.DataFrame(readings * gain + offset, columns=[f"sensor_{i:02d}" for i in range(16)])
print(df.describe().T[["mean", "std"]].head(4).round(1))

train_df, test_df = train_test_split(df, test_size=0.2, random_state=0)

# faults: in half of the test rows three sensors are swapped with another row's
is_fault = np.zeros(len(test_df), dtype=int)
is_fault[np.random.permutation(len(test_df))[: len(test_df) // 2]] = 1
test_values = test_df.to_numpy(copy=True)
for r in np.where(is_fault == 1)[0]:
    cols = np.random.choice(16, 3, replace=False)
    test_values[r, cols] = test_df.to_numpy()[np.random.randint(len(test_df)), cols]

scaler = StandardScaler()
X_train = torch.FloatTensor(scaler.fit_transform(train_df.to_numpy()))
X_test = torch.FloatTensor(scaler.transform(test_values))


# --- Model -------------------------------------------------------------------
class AutoEncoder(nn.Module):
    def __init__(self, n_features, bottleneck=4):
        super(AutoEncoder, self).__init__()
        self.encoder = nn.Sequential(
            nn.Linear(n_features, 32),
            nn.LeakyReLU(),
            nn.Linear(32, bottleneck),
        )
        self.decoder = nn.Sequential(
            nn.Linear(bottleneck, 32),
            nn.LeakyReLU(),
            nn.Linear(32, n_features),
            nn.Sigmoid(),
        )

    def forward(self, x):
        return self.decoder(self.encoder(x))


ae = AutoEncoder(X_train.shape[1])
opt = optim.Adam(ae.parameters(), lr=3e-3)
mse = nn.MSELoss()

# --- Training ----------------------------------------------------------------
EPOCHS, BS = 25, 64
for epoch in range(EPOCHS):
    ae.train()
    perm = torch.randperm(X_train.size(0))
    losses = []
    for b in range(0, X_train.size(0) - BS + 1, BS):
        x = X_train[perm[b:b + BS]]
        opt.zero_grad()
        loss = mse(ae(x), x)
        loss.backward()
        opt.step()
        losses.append(loss.item())
    if (epoch + 1) % 5 == 0 or epoch == 0:
        print("Epoch {:>2}: reconstruction loss {:.4f}".format(epoch + 1, np.mean(losses)))

# --- Evaluation ---------------------------------------------------------------
ae.eval()
with torch.no_grad():
    per_row = ((ae(X_test) - X_test) ** 2).mean(dim=1).numpy()
print("Test reconstruction error (normal rows): %.4f" % per_row[is_fault == 0].mean())
print("Fault detection ROC AUC: %.3f" % roc_auc_score(is_fault, per_row))
