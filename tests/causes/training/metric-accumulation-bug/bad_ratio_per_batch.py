import torch
from sklearn.metrics import roc_auc_score

scores = []
with torch.no_grad():
    for x, y in val_loader:
        p = torch.sigmoid(net(x))
        scores.append(roc_auc_score(y.numpy(), p.numpy()))  # metric-accumulation-bug
print(sum(scores) / len(scores))
