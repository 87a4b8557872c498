import torch
import torch.nn as nn
from torch.utils.data import DataLoader
from torchvision import datasets, models, transforms

torch.manual_seed(0)
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

norm = transforms.Normalize([0.485, 0.456, 0.406], [0.229, 0.224, 0.225])
train_tf = transforms.Compose([transforms.RandomResizedCrop(224), transforms.RandomHorizontalFlip(),
                               transforms.ToTensor(), norm])
val_tf = transforms.Compose([transforms.Resize(256), transforms.CenterCrop(224), transforms.ToTensor(), norm])

train_data = datasets.ImageFolder("flowers/train", train_tf)
val_data = datasets.ImageFolder("flowers/val", val_tf)
train_dl = DataLoader(train_data, batch_size=32, num_workers=4, pin_memory=True)
val_dl = DataLoader(val_data, batch_size=64, num_workers=4)

model = models.resnet18(weights="IMAGENET1K_V1")
model.fc = nn.Linear(model.fc.in_features, len(train_data.classes))
model.to(device)
optimizer = torch.optim.SGD(model.parameters(), lr=1e-3, momentum=0.9)
criterion = nn.CrossEntropyLoss()

for epoch in range(10):
    model.train()
    for xb, yb in train_dl:
        xb, yb = xb.to(device), yb.to(device)
        optimizer.zero_grad()
        criterion(model(xb), yb).backward()
        optimizer.step()
    model.eval()
    hits = 0
    with torch.no_grad():
        for xb, yb in val_dl:
            hits += (model(xb.to(device)).argmax(1).cpu() == yb).sum().item()
    print(f"epoch {epoch}: {hits / len(val_data):.4f}")
