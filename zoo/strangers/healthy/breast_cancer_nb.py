# %% [markdown]
# # Breast cancer (Wisconsin): a small MLP
# A walk-through in cells. Run top to bottom.

# %%
import copy

import numpy as np
import torch
from sklearn.datasets import load_breast_cancer
from sklearn.metrics import confusion_matrix, roc_auc_score
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler
from torch import nn

SEED = 0
np.random.seed(SEED)
torch.manual_seed(SEED)

# %% Load
bunch = load_breast_cancer()
X, y = bunch.data.astype("float32"), bunch.target
print(X.shape, np.bincount(y), bunch.target_names)

# %% Split 60/20/20, stratified
X_train, X_tmp, y_train, y_tmp = train_test_split(X, y, test_size=0.4, random_state=SEED, stratify=y)
X_val, X_test, y_val, y_test = train_test_split(X_tmp, y_tmp, test_size=0.5, random_state=SEED, stratify=y_tmp)

# %% Scale. Statistics come from the training rows only.
scaler = StandardScaler().fit(X_train)
X_train, X_val, X_test = (torch.from_numpy(scaler.transform(a)).float() for a in (X_train, X_val, X_test))
y_train, y_val, y_test = (torch.from_numpy(a).long() for a in (y_train, y_val, y_test))

# %% Model: it returns log-probabilities, so the loss is NLLLoss
net = nn.Sequential(
    nn.Linear(30, 16),
    nn.Tanh(),
    nn.Dropout(0.2),
    nn.Linear(16, 2),
    nn.LogSoftmax(dim=-1),
)
nll = nn.NLLLoss()
optimizer = torch.optim.Adam(net.parameters(), lr=3e-3, weight_decay=2e-2)

with torch.no_grad():
    net.eval()
    print("loss before training: %.3f (ln 2 = 0.693)" % nll(net(X_train), y_train).item())

# %% Train, full batch. 341 rows fit in one go, so there is no loader.
best = {"loss": float("inf"), "epoch": -1, "weights": None}
patience, history = 150, []
for epoch in range(2000):
    net.train()
    optimizer.zero_grad()
    out = net(X_train)
    loss = nll(out, y_train)
    loss.backward()
    optimizer.step()

    net.eval()
    with torch.no_grad():
        val_loss = nll(net(X_val), y_val).item()
    history.append((loss.item(), val_loss))
    if val_loss < best["loss"] - 1e-5:
        best = {"loss": val_loss, "epoch": epoch, "weights": copy.deepcopy(net.state_dict())}
    if epoch % 50 == 0:
        print(f"epoch {epoch:4d}  train {loss.item():.4f}  val {val_loss:.4f}")
    if epoch - best["epoch"] >= patience:
        print(f"no improvement for {patience} epochs, stopping at {epoch}")
        break

# %% Back to the best epoch, then the test set, once
net.load_state_dict(best["weights"])
net.eval()
with torch.no_grad():
    logp = net(X_test)
p_benign = logp.exp()[:, 1].numpy()
pred = logp.argmax(dim=1).numpy()
print(f"best epoch {best['epoch']}  val {best['loss']:.4f}  last val {history[-1][1]:.4f}")
print(f"test nll {nll(logp, y_test).item():.4f}  accuracy {(pred == y_test.numpy()).mean():.3f}  "
      f"auc {roc_auc_score(y_test.numpy(), p_benign):.4f}")
print(confusion_matrix(y_test.numpy(), pred))
