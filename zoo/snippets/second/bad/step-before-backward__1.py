import torch
import torch.nn as nn

torch.manual_seed(3)
model = nn.Sequential(nn.Linear(20, 50), nn.Tanh(), nn.Linear(50, 3))
criterion = nn.CrossEntropyLoss()
optimizer = torch.optim.RMSprop(model.parameters(), lr=1e-3)


def train_one_epoch(loader):
    model.train()
    for batch, (features, target) in enumerate(loader):
        optimizer.zero_grad()
        prediction = model(features)
        loss = criterion(prediction, target)
        optimizer.step()
        loss.backward()
        if batch % 50 == 0:
            print(batch, loss.item())


for epoch in range(10):
    print("--- epoch", epoch)
    train_one_epoch(train_loader)
