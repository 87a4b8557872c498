import torch
from torch import nn
from torch.autograd import Variable

num_epochs = 30
learning_rate = 0.01

class LinearRegression(nn.Module):
    def __init__(self):
        super(LinearRegression, self).__init__()
        self.linear = nn.Linear(1, 1)

    def forward(self, x):
        out = self.linear(x)
        return out

model = LinearRegression()
criterion = nn.MSELoss()
optimizer = torch.optim.SGD(model.parameters(), lr=learning_rate)

for epoch in range(num_epochs):
    inputs = Variable(torch.from_numpy(x_train))
    target = Variable(torch.from_numpy(y_train))

    out = model(inputs)
    loss = criterion(out, target)
    optimizer.zero_grad()
    loss.backward()

    if (epoch + 1) % 5 == 0:
        print('Epoch[{}/{}], loss: {:.6f}'.format(epoch + 1, num_epochs, loss.item()))

model.eval()
predict = model(Variable(torch.from_numpy(x_train))).data.numpy()
