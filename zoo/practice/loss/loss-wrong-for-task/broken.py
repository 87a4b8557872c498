import torch, torch.nn as nn, torch.optim as optim
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler

torch.manual_seed(123)
bc = load_breast_cancer()
X_train, X_test, y_train, y_test = train_test_split(bc.data, bc.target, test_size=0.2, random_state=123)
sc = StandardScaler()
X_train = sc.fit_transform(X_train)
X_test = sc.transform(X_test)

X_train = torch.FloatTensor(X_train)
X_test = torch.FloatTensor(X_test)
y_train = torch.FloatTensor(y_train).view(-1, 1)
y_test = torch.FloatTensor(y_test).view(-1, 1)


class BinaryNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.l1 = nn.Linear(30, 16)
        self.bn = nn.BatchNorm1d(16)
        self.l2 = nn.Linear(16, 1)

    def forward(self, x):
        return self.l2(torch.relu(self.bn(self.l1(x))))


model = BinaryNet()
optimizer = optim.Adam(model.parameters(), lr=0.01)
criterion = nn.CrossEntropyLoss()

EPOCHS, BATCH = 20, 32
for e in range(EPOCHS):
    model.train()
    epoch_loss = 0
    for i in range(0, X_train.size(0) - BATCH + 1, BATCH):
        X_batch, y_batch = X_train[i:i + BATCH], y_train[i:i + BATCH]
        optimizer.zero_grad()
        y_pred = model(X_batch)
        loss = criterion(y_pred, y_batch)
        loss.backward()
        optimizer.step()
        epoch_loss += loss.item()
    print(f'Epoch {e+0:03}: | Loss: {epoch_loss:.5f}')

model.eval()
with torch.no_grad():
    pred = torch.sigmoid(model(X_test)).round()
print(f"TEST ACC {(pred == y_test).float().mean():.3f}")
