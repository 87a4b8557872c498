import torch
import torch.nn as nn
import torch.nn.functional as F
import torch.optim as optim
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)

# load the data
digits = load_digits()
images = digits.images.astype("float32")
labels = digits.target

# split: 70% train, 15% validation, 15% test
x_train, x_rest, y_train, y_rest = train_test_split(images, labels, test_size=0.3, stratify=labels, random_state=0)
x_val, x_test, y_val, y_test = train_test_split(x_rest, y_rest, test_size=0.5, stratify=y_rest, random_state=0)

# normalize with the training statistics
mean, std = x_train.mean(), x_train.std()


def to_dataset(x, y):
    x = torch.tensor((x - mean) / std).unsqueeze(1)
    return TensorDataset(x, torch.tensor(y, dtype=torch.long))


train_loader = DataLoader(to_dataset(x_train, y_train), batch_size=64, shuffle=True)
val_loader = DataLoader(to_dataset(x_val, y_val), batch_size=128, shuffle=False)
test_loader = DataLoader(to_dataset(x_test, y_test), batch_size=128, shuffle=False)


class Net(nn.Module):
    def __init__(self):
        super(Net, self).__init__()
        self.conv1 = nn.Conv2d(1, 16, kernel_size=3, padding=1)
        self.conv2 = nn.Conv2d(16, 32, kernel_size=3, padding=1)
        self.dropout = nn.Dropout(0.3)
        self.fc1 = nn.Linear(32 * 2 * 2, 64)
        self.fc2 = nn.Linear(64, 10)

    def forward(self, x):
        x = F.max_pool2d(F.relu(self.conv1(x)), 2)
        x = F.max_pool2d(F.relu(self.conv2(x)), 2)
        x = torch.flatten(x, 1)
        x = self.dropout(F.relu(self.fc1(x)))
        return self.fc2(x)


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = Net().to(device)
criterion = nn.CrossEntropyLoss()
optimizer = optim.Adam(model.parameters(), lr=0.002, weight_decay=1e-4)


def evaluate(loader):
    model.eval()
    loss, correct, total = 0.0, 0, 0
    with torch.no_grad():
        for x, y in loader:
            x, y = x.to(device), y.to(device)
            out = model(x)
            loss += criterion(out, y).item() * y.size(0)
            correct += (out.argmax(dim=1) == y).sum().item()
            total += y.size(0)
    return loss / total, correct / total


for epoch in range(20):
    model.train()
    running_loss, seen = 0.0, 0
    for x, y in train_loader:
        x, y = x.to(device), y.to(device)
        optimizer.zero_grad()
        loss = criterion(model(x), y)
        loss.backward()
        optimizer.step()
        running_loss += loss.item() * y.size(0)
        seen += y.size(0)
    val_loss, val_acc = evaluate(val_loader)
    print(f"Epoch {epoch + 1}/20 - loss: {running_loss / seen:.4f} - val_loss: {val_loss:.4f} - val_acc: {val_acc:.4f}")

test_loss, test_acc = evaluate(test_loader)
print(f"Test loss: {test_loss:.4f}, test accuracy: {test_acc:.4f}")
