import numpy as np
import torch
from sklearn.datasets import load_iris
from sklearn.model_selection import train_test_split
from torch.utils.data import DataLoader, TensorDataset, random_split
from torchvision.datasets import ImageFolder

X, y = load_iris(return_X_y=True)
X_tr, X_te, y_tr, y_te = train_test_split(X, y, stratify=y, random_state=0)
first = DataLoader(TensorDataset(torch.tensor(X_tr).float(), torch.tensor(y_tr)), batch_size=16)
noise = TensorDataset(torch.randn(100, 4), torch.randint(0, 3, (100,)))
second = DataLoader(noise, batch_size=16)
train, test = random_split(ImageFolder("shapes"), [0.8, 0.2])
third = DataLoader(train, batch_size=16)
net = torch.nn.Linear(4, 3)
opt = torch.optim.SGD(net.parameters(), lr=0.1)
for epoch in range(3):
    for loader in (first, second, third):
        for xb, yb in loader:
            opt.zero_grad()
            loss = torch.nn.functional.cross_entropy(net(xb), yb)
            loss.backward()
            opt.step()
print(np.mean(y_te))
