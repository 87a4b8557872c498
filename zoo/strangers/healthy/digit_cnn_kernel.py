#!/usr/bin/env python
# coding: utf-8
# # Digit recognizer - CNN with batch norm and a bit of augmentation

# In[ ]:
import copy
import random

import numpy as np
import torch
import torch.nn as nn
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split
from torch.utils.data import DataLoader, Dataset


def set_seed(s=2024):
    random.seed(s)
    np.random.seed(s)
    torch.manual_seed(s)


set_seed()

# In[ ]:
data = load_digits()
images, labels = data.images.astype(np.float32), data.target
trn_x, tst_x, trn_y, tst_y = train_test_split(images, labels, test_size=0.2, stratify=labels, random_state=0)
trn_x, val_x, trn_y, val_y = train_test_split(trn_x, trn_y, test_size=0.15, stratify=trn_y, random_state=0)
MEAN, STD = trn_x.mean(), trn_x.std()
print(len(trn_x), len(val_x), len(tst_x))


# In[ ]:
class Digits(Dataset):
    def __init__(self, x, y, augment=False):
        self.x, self.y, self.augment = x, y, augment

    def __len__(self):
        return len(self.y)

    def __getitem__(self, i):
        img = self.x[i]
        if self.augment and random.random() < 0.5:
            # move by one pixel, the border is filled with background
            img = np.pad(img, 1)
            r, c = random.randint(0, 2), random.randint(0, 2)
            img = img[r:r + 8, c:c + 8]
        img = (img - MEAN) / STD
        return torch.from_numpy(np.ascontiguousarray(img))[None], int(self.y[i])


trn_dl = DataLoader(Digits(trn_x, trn_y, augment=True), batch_size=64, shuffle=True, drop_last=True)
val_dl = DataLoader(Digits(val_x, val_y), batch_size=256)
tst_dl = DataLoader(Digits(tst_x, tst_y), batch_size=256)


# In[ ]:
def block(i, o):
    return nn.Sequential(nn.Conv2d(i, o, 3, padding=1, bias=False), nn.BatchNorm2d(o), nn.ReLU())


net = nn.Sequential(
    block(1, 16), block(16, 16), nn.MaxPool2d(2),
    block(16, 32), nn.MaxPool2d(2),
    nn.Flatten(), nn.Dropout(0.2), nn.Linear(128, 10),
)


def evaluate(dl):
    net.eval()
    ls, ok, n = 0.0, 0, 0
    with torch.no_grad():
        for x, y in dl:
            o = net(x)
            ls += nn.functional.cross_entropy(o, y, reduction='sum').item()
            ok += (o.argmax(1) == y).sum().item()
            n += len(y)
    return ls / n, ok / n


# In[ ]:
EPOCHS = 20
opt = torch.optim.Adam(net.parameters(), lr=2e-3)
sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, T_max=EPOCHS)
best_loss, best_state = float('inf'), None

for ep in range(EPOCHS):
    net.train()
    tot, cnt = 0.0, 0
    for x, y in trn_dl:
        loss = nn.functional.cross_entropy(net(x), y)
        opt.zero_grad()
        loss.backward()
        opt.step()
        tot += loss.item() * len(y)
        cnt += len(y)
    sched.step()
    vl, va = evaluate(val_dl)
    if vl < best_loss:
        best_loss = vl
        best_state = copy.deepcopy(net.state_dict())
    print(f'{ep:2d}  trn {tot / cnt:.4f}  val {vl:.4f}  acc {va:.4f}')

# In[ ]:
net.load_state_dict(best_state)
print('test acc %.4f' % evaluate(tst_dl)[1])
