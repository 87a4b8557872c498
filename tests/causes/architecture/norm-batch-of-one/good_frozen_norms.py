import torch
from torch import nn
from torch.utils.data import DataLoader


class Detector(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 8, 3)
        self.bn = nn.BatchNorm2d(8)
        self.head = nn.Conv2d(8, 4, 1)

    def forward(self, x):
        return self.head(self.bn(self.conv(x)).relu())


def freeze_norms(model):
    for m in model.modules():
        if isinstance(m, nn.BatchNorm2d):
            m.eval()


model = Detector()
model.load_state_dict(torch.load("pretrained.pt"))
optimizer = torch.optim.SGD(model.parameters(), lr=1e-3)
for image, target in DataLoader(torch.load("boxes.pt"), batch_size=2, shuffle=True):
    model.train()
    freeze_norms(model)
    loss = nn.functional.smooth_l1_loss(model(image), target)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
