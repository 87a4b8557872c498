import torch

rewards = torch.zeros(300)
rewards[-1] = 1.0
smooth = 0.0
for t in range(300):
    smooth = 0.1 * rewards[t] + 0.9 * smooth
model = torch.nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for _ in range(100):
    x = torch.randn(32, 4)
    loss = (model(x) - x.sum(1, keepdim=True)).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
