#!/usr/bin/env python
# coding: utf-8

# # Chirp direction with a leaky recurrent network
# Three kinds of clips: rising tone, falling tone, steady tone.

# In[1]:
import numpy as np
import torch
import torch.nn as nn

torch.manual_seed(42)
rng = np.random.RandomState(42)


# In[2]:
def make_clips(n, T=48):
    y = rng.permutation(np.arange(n) % 3)
    t = np.linspace(0, 1, T)
    f0 = rng.uniform(4, 6, size=n)
    slope = np.choose(y, [3.5, -3.5, 0.0])
    phase = rng.uniform(0, 2 * np.pi, size=n)
    inst = f0[:, None] * t + 0.5 * slope[:, None] * (t ** 2 - t)
    x = np.sqrt(2) * np.sin(2 * np.pi * inst + phase[:, None]) + 0.4 * rng.randn(n, T)
    frames = np.stack([x[:, k:T - 4 + k] for k in range(5)], axis=2)   # five-sample frames
    return torch.tensor(frames, dtype=torch.float32), torch.tensor(y)


x_train, y_train = make_clips(2400)
x_val, y_val = make_clips(450)
x_test, y_test = make_clips(600)
print(x_train.shape, x_train.mean().item(), x_train.std().item())


# In[3]:
class LeakyRNN(nn.Module):
    def __init__(self, n_in=5, n_hidden=64, n_classes=3):
        super().__init__()
        self.w_in = nn.Linear(n_in, n_hidden)
        self.w_rec = nn.Linear(n_hidden, n_hidden, bias=False)
        self.out = nn.Linear(n_hidden, n_classes)

    def forward(self, x):
        h = torch.zeros(x.size(0), self.w_rec.in_features)
        drive = self.w_in(x)
        for t in range(x.size(1)):
            cand = torch.relu(drive[:, t] + self.w_rec(h))
            h = h + cand
        return self.out(h)


# In[4]:
def evaluate(model, x, y):
    model.eval()
    with torch.no_grad():
        logits = model(x)
        return criterion(logits, y).item(), (logits.argmax(1) == y).float().mean().item()


def grad_norm(model):
    return torch.stack([p.grad.norm() for p in model.parameters()]).norm().item()


# In[5]:
model = LeakyRNN()
criterion = nn.CrossEntropyLoss()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
BATCH = 50

for epoch in range(15):
    model.train()
    order = torch.randperm(len(x_train))
    losses, norms = [], []
    for i in range(0, len(order), BATCH):
        idx = order[i:i + BATCH]
        optimizer.zero_grad()
        loss = criterion(model(x_train[idx]), y_train[idx])
        loss.backward()
        norms.append(grad_norm(model))
        optimizer.step()
        losses.append(loss.item())
    val_loss, val_acc = evaluate(model, x_val, y_val)
    print(f"epoch {epoch + 1:2d}  loss {np.mean(losses):.4g}  |grad| {np.mean(norms):.3g}  "
          f"val {val_loss:.4g}  acc {val_acc:.3f}")

# In[6]:
print("test accuracy: %.3f" % evaluate(model, x_test, y_test)[1])
