import torch

try:
    import wandb
except ImportError:
    wandb = None

optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
try:
    for x, y in loader:
        optimizer.zero_grad()
        criterion(model(x), y).backward()
        optimizer.step()
except KeyboardInterrupt:
    print("stopped early")
