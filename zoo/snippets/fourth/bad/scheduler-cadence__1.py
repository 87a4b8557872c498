import torch
from torch.optim.lr_scheduler import StepLR

optimizer = torch.optim.SGD(net.parameters(), lr=0.1, momentum=0.9)
scheduler = StepLR(optimizer, step_size=30, gamma=0.1)
for epoch in range(90):
    for batch in train_loader:
        optimizer.zero_grad()
        loss = net(batch["x"], batch["y"])
        loss.backward()
        optimizer.step()
        scheduler.step()
