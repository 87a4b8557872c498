import torch, torch.nn as nn

model = nn.Linear(1, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
sched = torch.optim.lr_scheduler.StepLR(optimizer, 10)
for epoch in range(10):
    for x, y in loader:
        model.zero_grad()
        nn.functional.mse_loss(model(x), y).backward()  # missing-step
    sched.step()
