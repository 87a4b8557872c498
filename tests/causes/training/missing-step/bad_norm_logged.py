import torch, torch.nn as nn

model = nn.Linear(1, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for x, y in loader:
    optimizer.zero_grad()
    loss = nn.functional.mse_loss(model(x), y)
    loss.backward()  # missing-step
    grad_norm = sum(p.grad.norm() ** 2 for p in model.parameters()) ** 0.5
    print(grad_norm)
