"""What is put into a frozen model by code out of sight may well learn."""

import torch
import transformers
from adapters import insert_low_rank
from torch.nn import functional as F
from torchvision.models import resnet50

net = resnet50(weights="DEFAULT")
net.requires_grad_(False)
insert_low_rank(net, rank=8)
optimizer = torch.optim.AdamW(net.parameters(), lr=1e-4)
for x, y in loader:
    optimizer.zero_grad()
    F.cross_entropy(net(x), y).backward()
    optimizer.step()


def phases(factory, register):
    backbone = factory.build()
    for weight in backbone.parameters():
        weight.requires_grad = False
    register.attach(backbone, prompts=16)
    return torch.optim.SGD(backbone.parameters(), lr=0.1)


def by_its_own_method(batches):
    model = transformers.AutoModel.from_pretrained("small")
    model.requires_grad_(False)
    model.add_adapter("task")
    model.train_adapter("task")
    adapted = torch.optim.AdamW(model.parameters(), lr=1e-4)
    for batch in batches:
        adapted.zero_grad()
        model(**batch).loss.backward()
        adapted.step()
