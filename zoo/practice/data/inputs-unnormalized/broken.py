import torch
from torch import nn, optim
from torch.utils.data import TensorDataset, DataLoader
from sklearn.datasets import load_wine
from sklearn.model_selection import train_test_split

torch.manual_seed(0)
X, y = load_wine(return_X_y=True)
Xtr, Xva, ytr, yva = train_test_split(X, y, test_size=0.3, stratify=y, random_state=0)

to = lambda X, y: TensorDataset(torch.tensor(X, dtype=torch.float32), torch.tensor(y))
train_dl = DataLoader(to(Xtr, ytr), batch_size=16, shuffle=True)
val_dl = DataLoader(to(Xva, yva), batch_size=64)


class MLP(nn.Module):
    def __init__(self, sizes=(13, 24, 24, 3)):
        super().__init__()
        self.layers = nn.ModuleList(nn.Linear(a, b) for a, b in zip(sizes, sizes[1:]))

    def forward(self, x):
        for layer in self.layers[:-1]:
            x = torch.relu(layer(x))
        return self.layers[-1](x)


model = MLP()
opt = optim.SGD(model.parameters(), lr=0.02, momentum=0.9)
loss_fn = nn.CrossEntropyLoss()
for epoch in range(1, 31):
    model.train()
    for xb, yb in train_dl:
        opt.zero_grad()
        loss = loss_fn(model(xb), yb)
        loss.backward()
        opt.step()
    model.eval()
    with torch.no_grad():
        hit = sum((model(a).argmax(1) == b).sum().item() for a, b in val_dl)
    if epoch % 5 == 0:
        print(f"{epoch=} loss={loss.item():.4f} val_acc={hit / len(yva):.3f}")
