# Part 3 of the series: our first neural network in PyTorch.
# We will predict whether a tumour is malignant or benign.

import torch
import torch.nn as nn
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler

torch.manual_seed(42)

# Step 1: load the data
data = load_breast_cancer()
X_train, X_test, y_train, y_test = train_test_split(
    data.data, data.target, test_size=0.25, random_state=42, stratify=data.target
)

# Step 2: scale it. Remember from part 2: fit on train, transform both!
scaler = StandardScaler()
X_train = scaler.fit_transform(X_train)
X_test = scaler.transform(X_test)

X_train = torch.tensor(X_train, dtype=torch.float32)
X_test = torch.tensor(X_test, dtype=torch.float32)
y_train = torch.tensor(y_train, dtype=torch.float32).view(-1, 1)
y_test = torch.tensor(y_test, dtype=torch.float32).view(-1, 1)


# Step 3: the model
class TumourNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc1 = nn.Linear(30, 16)
        self.fc2 = nn.Linear(16, 8)
        self.fc3 = nn.Linear(8, 1)

    def forward(self, x):
        x = torch.relu(self.fc1(x))
        x = torch.relu(self.fc2(x))
        return self.fc3(x)


model = TumourNet()
print(model)

# Step 4: loss and optimizer
criterion = nn.BCEWithLogitsLoss()
optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9)

# Step 5: training loop
batch_size = 32
n = len(X_train)
epochs = 10

for epoch in range(epochs):
    model.train()
    perm = torch.randperm(n)
    epoch_loss = 0.0
    for i in range(0, n, batch_size):
        idx = perm[i:i + batch_size]
        xb, yb = X_train[idx], y_train[idx]

        # forward pass
        outputs = model(xb)
        loss = criterion(outputs, yb)

        # backward pass
        loss.backward()

        # update the weights
        optimizer.zero_grad()
        optimizer.step()

        epoch_loss += loss.item() * len(idx)
    print(f"Epoch {epoch + 1}/{epochs}, loss = {epoch_loss / n:.4f}")

# Step 6: how good is it?
model.eval()
with torch.no_grad():
    logits = model(X_test)
    predicted = (torch.sigmoid(logits) > 0.5).float()
    accuracy = (predicted == y_test).float().mean().item()
print(f"Accuracy on the test set: {accuracy * 100:.1f}%")
