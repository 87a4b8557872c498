import torch
import torch.nn.functional as F
from torchvision.models import resnet18

trunk = resnet18(weights="DEFAULT")
trunk.fc = torch.nn.Identity()
head = torch.nn.Linear(512, 7)
opt = torch.optim.SGD(
    [
        {"params": trunk.parameters(), "lr": cfg.slow},
        {"params": head.parameters(), "lr": cfg.fast},
    ]
)
for x, y in loader:
    with torch.inference_mode():  # no-grad-training
        features = trunk(x)
    loss = F.cross_entropy(head(features.clone()), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
