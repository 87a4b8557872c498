import torch
from torch import nn
from torch.utils.data import TensorDataset, DataLoader
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler

torch.manual_seed(21)

# data
bc = load_breast_cancer()
X, y = bc.data, bc.target
n_samples, n_features = X.shape
X_train, X_test, y_train, y_test = train_test_split(
    X, y, test_size=0.25, random_state=21, stratify=y)
X_train, X_val, y_train, y_val = train_test_split(
    X_train, y_train, test_size=0.2, random_state=21, stratify=y_train)

# scale
sc = StandardScaler()
X_train = torch.tensor(sc.fit_transform(X_train), dtype=torch.float32)
X_val = torch.tensor(sc.transform(X_val), dtype=torch.float32)
X_test = torch.tensor(sc.transform(X_test), dtype=torch.float32)
y_train = torch.tensor(y_train, dtype=torch.float32)
y_val = torch.tensor(y_val, dtype=torch.float32)
y_test = torch.tensor(y_test, dtype=torch.float32)

loader = DataLoader(TensorDataset(X_train, y_train), batch_size=32, shuffle=True)


# model
class TumourNet(nn.Module):
    def __init__(self, n_in):
        super().__init__()
        self.hidden = nn.Linear(n_in, 16)
        self.out = nn.Linear(16, 1)

    def forward(self, x):
        return self.out(torch.relu(self.hidden(x)))


model = TumourNet(n_features)
criterion = nn.BCEWithLogitsLoss()
optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9, weight_decay=1e-2)


def get_accuracy(X, y):
    model.eval()
    with torch.no_grad():
        probs = torch.sigmoid(model(X))
        predicted = probs.round()
        acc = (predicted == y).float().mean()
    return acc.item()


# training
for epoch in range(32):
    model.train()
    total_loss = 0.0
    for xb, yb in loader:
        y_pred = model(xb).squeeze(1)
        loss = criterion(y_pred, yb)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        total_loss += loss.item() * len(yb)
    if (epoch + 1) % 4 == 0:
        print(f'epoch {epoch + 1}: loss = {total_loss / len(y_train):.4f}, '
              f'val accuracy = {get_accuracy(X_val, y_val):.4f}')

print(f'accuracy on test data = {get_accuracy(X_test, y_test):.4f}')
