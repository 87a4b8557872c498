import torch
import torch.nn as nn
import torch.optim as optim


class NameClassifier(nn.Module):
    def __init__(self, n_letters, hidden, n_categories):
        super().__init__()
        self.rnn = nn.RNN(n_letters, hidden)
        self.fc = nn.Linear(hidden, n_categories)

    def forward(self, line):
        _, h = self.rnn(line)
        return self.fc(h[0])


def train(lines, categories, epochs=10):
    torch.manual_seed(4)
    net = NameClassifier(57, 128, 18)
    criterion = nn.NLLLoss()
    opt = optim.SGD(net.parameters(), lr=0.005)
    order = list(range(len(lines)))
    for ep in range(epochs):
        total = 0.0
        for i in torch.randperm(len(order)).tolist():
            opt.zero_grad()
            out = net(lines[i])
            loss = criterion(out, categories[i])
            loss.backward()
            opt.step()
            total += loss.item()
        print(ep, total / len(order))
    return net
