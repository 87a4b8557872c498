# MNIST-style CNN on the small sklearn digits

# %%
import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(1)
np.random.seed(1)
torch.set_num_threads(1)

# %%
images, labels = load_digits(return_X_y=True)
images = images.reshape(-1, 1, 8, 8).astype(np.float32)
tr_x, te_x, tr_y, te_y = train_test_split(images, labels, test_size=0.2, random_state=1, stratify=labels)
MEAN, STD = tr_x.mean(), tr_x.std()
tr_x = torch.from_numpy((tr_x - MEAN) / STD)
te_x = torch.from_numpy((te_x - MEAN) / STD)
tr_y = torch.from_numpy(tr_y)
te_y = torch.from_numpy(te_y)
train_loader = DataLoader(TensorDataset(tr_x, tr_y), batch_size=32, shuffle=True)
test_loader = DataLoader(TensorDataset(te_x, te_y), batch_size=120)


# %%
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv2d(1, 12, 3, padding=1)
        self.conv2 = nn.Conv2d(12, 24, 3, padding=1)
        self.drop = nn.Dropout(0.25)
        self.fc1 = nn.Linear(24 * 4 * 4, 48)
        self.fc2 = nn.Linear(48, 10)

    def forward(self, x):
        x = F.relu(self.conv1(x))
        x = F.max_pool2d(F.relu(self.conv2(x)), 2)
        x = self.drop(torch.flatten(x, 1))
        x = F.relu(self.fc1(x))
        x = self.fc2(x)
        return x


model = Net()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)

# %%
for epoch in range(1, 13):
    model.train()
    train_loss = 0
    for data, target in train_loader:
        optimizer.zero_grad()
        output = model(data)
        loss = F.nll_loss(output, target)
        loss.backward()
        optimizer.step()
        train_loss += loss.item() * len(data)
    train_loss /= len(tr_x)

    model.eval()
    test_loss, correct = 0, 0
    with torch.no_grad():
        for data, target in test_loader:
            output = model(data)
            test_loss += F.nll_loss(output, target, reduction="sum").item()
            correct += (output.argmax(dim=1) == target).sum().item()
    test_loss /= len(te_x)
    print("Epoch {}: train loss {:.4f}, test loss {:.4f}, accuracy {}/{} ({:.1f}%)".format(
        epoch, train_loss, test_loss, correct, len(te_x), 100.0 * correct / len(te_x)))
