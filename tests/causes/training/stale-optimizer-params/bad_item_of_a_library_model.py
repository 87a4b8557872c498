import torch
import torchvision

net = torchvision.models.vgg11(weights="DEFAULT")
optimizer = torch.optim.SGD(net.parameters(), lr=0.01, momentum=0.9)  # stale-optimizer-params
net.classifier[6] = torch.nn.Linear(4096, 3)
for x, y in loader:
    optimizer.zero_grad()
    torch.nn.functional.cross_entropy(net(x), y).backward()
    optimizer.step()
