import torch
import torch.nn as nn
import torch.nn.functional as F
from sklearn.preprocessing import StandardScaler
from sklearn.model_selection import train_test_split

X_train, X_test, y_train, y_test = train_test_split(X, y, test_size=0.2, random_state=1)
x_sc, y_sc = StandardScaler(), StandardScaler()
X_train = torch.FloatTensor(x_sc.fit_transform(X_train))
X_test = torch.FloatTensor(x_sc.transform(X_test))
y_train = torch.FloatTensor(y_sc.fit_transform(y_train.reshape(-1, 1)))
y_test = torch.FloatTensor(y_sc.transform(y_test.reshape(-1, 1)))


class Regressor(nn.Module):
    def __init__(self, n_in):
        super().__init__()
        self.fc1 = nn.Linear(n_in, 64)
        self.fc2 = nn.Linear(64, 32)
        self.fc3 = nn.Linear(32, 1)

    def forward(self, x):
        x = F.relu(self.fc1(x))
        x = F.relu(self.fc2(x))
        x = F.relu(self.fc3(x))
        return x


model = Regressor(X_train.shape[1])
optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
for epoch in range(200):
    optimizer.zero_grad()
    loss = F.mse_loss(model(X_train), y_train)
    loss.backward()
    optimizer.step()
