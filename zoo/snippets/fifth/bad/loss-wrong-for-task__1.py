import torch.nn as nn

class Churn(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.l1 = nn.Linear(n, 64)
        self.l2 = nn.Linear(64, 1)
    def forward(self, x):
        return self.l2(torch.relu(self.l1(x)))

model = Churn(20)
criterion = nn.CrossEntropyLoss()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
for xb, yb in loader:
    optimizer.zero_grad()
    loss = criterion(model(xb), yb)
    loss.backward()
    optimizer.step()
