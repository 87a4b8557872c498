import torch
import torch.nn as nn
from sklearn.datasets import load_wine
from sklearn.model_selection import train_test_split
from torch.utils.data import DataLoader, TensorDataset


def get_model():
    return nn.Sequential(nn.Linear(13, 48), nn.ReLU(), nn.Dropout(0.6), nn.Linear(48, 48), nn.ReLU(), nn.Dropout(0.6),
                         nn.Linear(48, 3))


def train(model, loader, epochs):
    opt = torch.optim.Adam(model.parameters(), lr=3e-3)
    model.train()
    for epoch in range(epochs):
        for xb, yb in loader:
            opt.zero_grad()
            loss = nn.functional.cross_entropy(model(xb), yb)
            loss.backward()
            opt.step()
    print(f"last loss {loss.item():.4f}")


def predict(model, x):
    with torch.no_grad():
        return model(x).argmax(dim=1)


if __name__ == "__main__":
    torch.manual_seed(18)
    X, y = load_wine(return_X_y=True)
    Xa, Xb, ya, yb = train_test_split(X, y, test_size=0.4, random_state=18, stratify=y)
    mu, sd = Xa.mean(0), Xa.std(0)
    Xa, Xb = torch.tensor((Xa - mu) / sd).float(), torch.tensor((Xb - mu) / sd).float()
    model = get_model()
    train(model, DataLoader(TensorDataset(Xa, torch.tensor(ya)), batch_size=16, shuffle=True), 30)
    first, second = predict(model, Xb), predict(model, Xb)
    print(f"test accuracy {(first == torch.tensor(yb)).float().mean():.3f}")
    print(f"agreement of two predictions {(first == second).float().mean():.3f}")
