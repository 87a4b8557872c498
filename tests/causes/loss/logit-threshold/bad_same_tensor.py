import torch
import torch.nn.functional as F

for x, y in loader:
    out = model(x).squeeze(1)
    loss = F.binary_cross_entropy_with_logits(out, y.float())
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    accuracy = ((out > 0.5) == y.bool()).float().mean()  # logit-threshold
    print(loss.item(), accuracy.item())
