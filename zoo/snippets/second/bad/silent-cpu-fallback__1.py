import torch
import torch.nn as nn
from torch.utils.data import DataLoader
from torchvision import datasets, transforms
from torchvision.models import resnet18

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
print("Using device:", device)
torch.manual_seed(0)

tfm = transforms.Compose([transforms.Resize(64), transforms.ToTensor(), transforms.Normalize([0.5] * 3, [0.5] * 3)])
train_data = datasets.EuroSAT("data", transform=tfm, download=True)
loader = DataLoader(train_data, batch_size=128, shuffle=True, num_workers=4, pin_memory=True)

model = resnet18(num_classes=10)
criterion = nn.CrossEntropyLoss()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)

for epoch in range(20):
    model.train()
    seen, running = 0, 0.0
    for img, label in loader:
        optimizer.zero_grad()
        loss = criterion(model(img), label)
        loss.backward()
        optimizer.step()
        running += loss.item() * img.size(0)
        seen += img.size(0)
    print(f"epoch {epoch} loss {running / seen:.4f}")
