import torch
import torchvision
from torch import nn

torch.manual_seed(0)
model = torchvision.models.efficientnet_b0(weights="IMAGENET1K_V1")
optimizer = torch.optim.Adam(model.parameters(), lr=1e-4)
model.classifier[1] = nn.Linear(1280, 37)
model = model.cuda()
lossf = nn.CrossEntropyLoss()

for epoch in range(8):
    model.train()
    for x, y in pets_train:
        optimizer.zero_grad(set_to_none=True)
        loss = lossf(model(x.cuda()), y.cuda())
        loss.backward()
        optimizer.step()
