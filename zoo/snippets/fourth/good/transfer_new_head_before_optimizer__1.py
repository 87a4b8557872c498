import torch
import torchvision

m = torchvision.models.mobilenet_v3_small(weights="DEFAULT")
for p in m.parameters():
    p.requires_grad = False
m.classifier[3] = torch.nn.Linear(1024, 4)
opt = torch.optim.Adam(m.classifier.parameters(), 1e-3)
for x, y in loader:
    m.train()
    opt.zero_grad()
    torch.nn.functional.cross_entropy(m(x), y).backward()
    opt.step()
