import torch
import torchvision

net = torchvision.models.resnet50(weights="IMAGENET1K_V2")
for p in net.parameters():
    p.requires_grad = False
for p in net.layer4.parameters():
    p.requires_grad == True  # frozen-params
for p in net.layer3[2:].parameters():
    p.requires_grad_ = True  # frozen-params
net.fc = torch.nn.Linear(2048, 12)
opt = torch.optim.SGD([p for p in net.parameters() if p.requires_grad], lr=0.01)
for x, y in loader:
    opt.zero_grad()
    torch.nn.functional.cross_entropy(net(x), y).backward()
    opt.step()
