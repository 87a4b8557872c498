import torch
import torch.nn.functional as F
from sklearn.metrics import roc_auc_score
from torch import nn

net = nn.Linear(10, 2)
opt = torch.optim.Adam(net.parameters())


def train(x, y):
    loss = F.cross_entropy(net(x), y)
    opt.zero_grad()
    loss.backward()
    opt.step()


@torch.no_grad()
def report(x, y):
    scores = net(x)
    positive = scores.softmax(1)[:, 1] > 0.3
    return roc_auc_score(y, scores[:, 1] - scores[:, 0]), scores.argmax(1), positive
