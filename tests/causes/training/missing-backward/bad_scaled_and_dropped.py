import torch
import torch.nn.functional as F
from torch import nn

model = nn.Linear(20, 4).cuda()
optimizer = torch.optim.AdamW(model.parameters(), lr=3e-4)
scaler = torch.amp.GradScaler("cuda")
for x, y in loader:
    with torch.autocast("cuda"):
        loss = F.cross_entropy(model(x.cuda()), y.cuda())
    scaler.scale(loss)  # missing-backward
    scaler.unscale_(optimizer)
    nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    scaler.step(optimizer)
    scaler.update()
    optimizer.zero_grad()
