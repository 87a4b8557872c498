#!/usr/bin/env python
# coding: utf-8

# In[1]:
import numpy as np
import torch
import torch.nn as nn
import torch.optim as optim
from sklearn.datasets import make_classification
from sklearn.metrics import accuracy_score, confusion_matrix
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler
from sklearn.utils import shuffle

np.random.seed(0)
torch.manual_seed(0)

# In[2]:
# stand-in for the customer table (4 segments, 15 columns)
data, segment = make_classification(
    n_samples=4000, n_features=15, n_informative=10, n_redundant=3,
    n_classes=4, n_clusters_per_class=1, class_sep=1.6, flip_y=0.01, random_state=0)
print(data.shape, np.bincount(segment))

# In[3]:
train_x, test_x, train_y, test_y = train_test_split(
    data, segment, test_size=0.2, stratify=segment, random_state=0)

sc = StandardScaler()
train_x = sc.fit_transform(train_x)
test_x = sc.transform(test_x)

# In[4]:
# mix the rows once before cutting them into batches
train_x = shuffle(train_x)
train_y = shuffle(train_y)

train_x = torch.FloatTensor(train_x)
train_y = torch.LongTensor(train_y)
test_x = torch.FloatTensor(test_x)

# In[5]:
class SegmentNet(nn.Module):
    def __init__(self):
        super(SegmentNet, self).__init__()
        self.fc1 = nn.Linear(15, 32)
        self.fc2 = nn.Linear(32, 16)
        self.fc3 = nn.Linear(16, 4)
        self.relu = nn.ReLU()

    def forward(self, x):
        x = self.relu(self.fc1(x))
        x = self.relu(self.fc2(x))
        return self.fc3(x)


model = SegmentNet()
criterion = nn.CrossEntropyLoss()
optimizer = optim.Adam(model.parameters(), lr=0.001, weight_decay=1e-4)

# In[6]:
epochs = 40
bs = 64
for e in range(epochs):
    model.train()
    idx = torch.randperm(len(train_x))
    epoch_loss = 0
    for i in range(0, len(train_x), bs):
        b = idx[i:i + bs]
        optimizer.zero_grad()
        out = model(train_x[b])
        loss = criterion(out, train_y[b])
        loss.backward()
        optimizer.step()
        epoch_loss += loss.item() * len(b)
    if (e + 1) % 4 == 0:
        print("Epoch {}/{} - loss: {:.4f}".format(e + 1, epochs, epoch_loss / len(train_x)))

# In[7]:
model.eval()
with torch.no_grad():
    pred = model(test_x).argmax(dim=1).numpy()

print("test accuracy: {:.3f}".format(accuracy_score(test_y, pred)))
print(confusion_matrix(test_y, pred))
