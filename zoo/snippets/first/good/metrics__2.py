import numpy as np
import torch
from sklearn.metrics import roc_auc_score


class AverageMeter(object):
    def __init__(self):
        self.reset()

    def reset(self):
        self.sum, self.count = 0.0, 0

    def update(self, val, n=1):
        self.sum += val * n
        self.count += n

    @property
    def avg(self):
        return self.sum / max(self.count, 1)


def validate(model, loader, criterion):
    meter = AverageMeter()
    model.eval()
    probs, labels = [], []
    with torch.no_grad():
        for x, y in loader:
            out = model(x.cuda()).squeeze(1)
            meter.update(criterion(out, y.cuda().float()).item(), x.size(0))
            probs.append(torch.sigmoid(out).cpu().numpy())
            labels.append(y.numpy())
    return meter.avg, roc_auc_score(np.concatenate(labels), np.concatenate(probs))
