# coding: utf-8
# In[1]:
import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
from sklearn.datasets import load_digits
from sklearn.metrics import confusion_matrix
from sklearn.model_selection import train_test_split
from torch.utils.data import DataLoader, TensorDataset

np.random.seed(0)
torch.manual_seed(0)

# In[2]:
digits = load_digits()
X = digits.images.astype(np.float32)[:, None]
y = digits.target
X_tr, X_te, y_tr, y_te = train_test_split(X, y, test_size=0.2, stratify=y, random_state=0)
X_tr, X_va, y_tr, y_va = train_test_split(X_tr, y_tr, test_size=0.2, stratify=y_tr, random_state=0)
m, s = X_tr.mean(), X_tr.std()
print(X_tr.shape, X_va.shape, X_te.shape, np.bincount(y_tr))


# In[3]:
def ds(a, b):
    return TensorDataset(torch.tensor((a - m) / s), torch.tensor(b))


train_dl = DataLoader(ds(X_tr, y_tr), batch_size=32, shuffle=True)
valid_dl = DataLoader(ds(X_va, y_va), batch_size=128)
test_dl = DataLoader(ds(X_te, y_te), batch_size=128)


# In[4]:
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv2d(1, 12, 3, padding=1)
        self.conv2 = nn.Conv2d(12, 24, 3, padding=1)
        self.drop = nn.Dropout(0.3)
        self.fc1 = nn.Linear(24 * 4 * 4, 48)
        self.fc2 = nn.Linear(48, 10)

    def forward(self, x):
        x = F.relu(self.conv1(x))
        x = F.max_pool2d(F.relu(self.conv2(x)), 2)
        x = self.drop(x.flatten(1))
        x = F.relu(self.fc1(x))
        return self.fc2(x)


net = Net()
opt = torch.optim.AdamW(net.parameters(), lr=1e-3, weight_decay=1e-2)
sched = torch.optim.lr_scheduler.StepLR(opt, step_size=8, gamma=0.3)
print(sum(p.numel() for p in net.parameters()), "weights")


# In[5]:
def validate(dl):
    net.eval()
    loss, outs, ys = 0.0, [], []
    with torch.no_grad():
        for xb, yb in dl:
            out = net(xb)
            loss += F.cross_entropy(out, yb, reduction="sum").item()
            outs.append(out.argmax(1))
            ys.append(yb)
    outs, ys = torch.cat(outs), torch.cat(ys)
    return loss / len(ys), (outs == ys).float().mean().item(), outs, ys


# In[6]:
history = []
for epoch in range(16):
    net.train()
    tot = 0.0
    for xb, yb in train_dl:
        loss = F.cross_entropy(net(xb), yb)
        opt.zero_grad()
        loss.backward()
        opt.step()
        tot += loss.item() * len(xb)
    sched.step()
    vl, va, *_ = validate(valid_dl)
    history.append((tot / len(X_tr), vl, va))
    print("epoch %2d   train loss %.4f   valid loss %.4f   valid acc %.4f" % (epoch, *history[-1]))

# In[7]:
tl, ta, p, t = validate(test_dl)
print("test loss %.4f   test acc %.4f" % (tl, ta))
print(confusion_matrix(t, p))
