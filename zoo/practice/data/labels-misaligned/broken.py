# hi all, my network gets stuck, what am I doing wrong?
import numpy as np
import torch
import torch.nn as nn
import torch.optim as optim
from sklearn.datasets import load_wine

np.random.seed(42)
torch.manual_seed(42)

wine = load_wine()
data = wine.data.astype("float32")
target = wine.target

np.random.shuffle(data)
np.random.shuffle(target)

x_train = torch.from_numpy(data[:130])
y_train = torch.from_numpy(target[:130])
x_test = torch.from_numpy(data[130:])
y_test = torch.from_numpy(target[130:])
m, s = x_train.mean(0), x_train.std(0)
x_train, x_test = (x_train - m) / s, (x_test - m) / s

class Net(nn.Module):
    def __init__(self):
        super(Net, self).__init__()
        self.fc1 = nn.Linear(13, 10)
        self.fc2 = nn.Linear(10, 3)
    def forward(self, x):
        x = torch.relu(self.fc1(x))
        x = self.fc2(x)
        return x

net = Net()
criterion = nn.CrossEntropyLoss()
optimizer = optim.SGD(net.parameters(), lr=0.05, momentum=0.9)
for epoch in range(100):
    optimizer.zero_grad()
    output = net(x_train)
    loss = criterion(output, y_train)
    loss.backward()
    optimizer.step()
    if epoch % 20 == 0:
        print('Epoch %d Loss %.4f' % (epoch, loss.item()))

pred = torch.max(net(x_test), 1)[1]
print('Test Acc %.3f' % (pred == y_test).float().mean().item())
