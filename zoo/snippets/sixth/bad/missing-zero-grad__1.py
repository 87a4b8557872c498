import torch
import torch.nn as nn
import torch.optim as optim
import matplotlib.pyplot as plt

torch.manual_seed(0)
x = torch.linspace(-3, 3, 200).unsqueeze(1)
y = torch.sin(x) + 0.1 * torch.randn(x.size())

net = nn.Sequential(nn.Linear(1, 50), nn.Tanh(), nn.Linear(50, 1))
optimizer = optim.SGD(net.parameters(), lr=0.05)
criterion = nn.MSELoss()

losses = []
for t in range(500):
    prediction = net(x)
    loss = criterion(prediction, y)
    loss.backward()
    optimizer.step()
    losses.append(loss.item())
    if t % 50 == 0:
        print(t, loss.item())

plt.plot(losses)
plt.show()
