import torch
import torch.nn as nn
from torch.utils.data import DataLoader
from torchvision import models

device = torch.device("cuda:0")
torch.manual_seed(0)

model = models.resnet50(weights=models.ResNet50_Weights.IMAGENET1K_V2)
criterion = nn.CrossEntropyLoss()
optimizer = torch.optim.SGD(model.parameters(), lr=0.001, momentum=0.9)
scheduler = torch.optim.lr_scheduler.StepLR(optimizer, step_size=7, gamma=0.1)

num_ftrs = model.fc.in_features
model.fc = nn.Linear(num_ftrs, 37)
model = model.to(device)

loader = DataLoader(pets_train, batch_size=32, shuffle=True, num_workers=4)
for epoch in range(25):
    model.train()
    running = 0.0
    for inputs, labels in loader:
        inputs, labels = inputs.to(device), labels.to(device)
        optimizer.zero_grad()
        loss = criterion(model(inputs), labels)
        loss.backward()
        optimizer.step()
        running += loss.item() * inputs.size(0)
    scheduler.step()
    print(f"{epoch}: {running / len(pets_train):.4f}")
