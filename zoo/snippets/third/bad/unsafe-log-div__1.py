import torch
import torch.nn.functional as F


def entropy_minimisation(model, unlabeled, opt):
    """Test-time adaptation: minimise the entropy of the predictions."""
    for x in unlabeled:
        p = F.softmax(model(x), dim=1)
        loss = -(p * torch.log(p)).sum(dim=1).mean()
        opt.zero_grad()
        loss.backward()
        opt.step()
