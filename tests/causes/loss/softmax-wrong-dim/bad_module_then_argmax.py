import torch
from torch import nn


class Net(nn.Module):
    def __init__(self, classes):
        super().__init__()
        self.conv = nn.Conv2d(3, 16, 3)
        self.fc = nn.Linear(16, classes)
        self.prob = nn.Softmax(dim=0)

    def forward(self, image):
        h = torch.relu(self.conv(image)).mean(dim=(2, 3))
        return self.fc(h)

    def predict(self, image):
        probabilities = self.prob(self.forward(image))  # softmax-wrong-dim
        return probabilities.argmax(dim=1), probabilities
