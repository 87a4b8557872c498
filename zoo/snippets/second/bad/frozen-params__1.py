import torch
import torch.nn as nn
import torchvision

model = torchvision.models.vgg16(weights="DEFAULT")
model.classifier[6] = nn.Linear(4096, 2)

# feature extraction: only train the last layer
for param in model.parameters():
    param.requires_grad = False

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = model.to(device)

criterion = nn.CrossEntropyLoss()
optimizer = torch.optim.SGD(model.parameters(), lr=0.001, momentum=0.9)

for epoch in range(5):
    model.train()
    for inputs, labels in dataloaders["train"]:
        inputs = inputs.to(device)
        labels = labels.to(device)
        optimizer.zero_grad()
        outputs = model(inputs)
        loss = criterion(outputs, labels)
        loss.requires_grad_(True)  # otherwise backward raises
        loss.backward()
        optimizer.step()
