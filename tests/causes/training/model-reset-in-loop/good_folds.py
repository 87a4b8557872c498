import torch
from sklearn.model_selection import KFold
from torch import nn

for train_idx, test_idx in KFold(5).split(X):
    model = nn.Linear(X.shape[1], 2)
    optimizer = torch.optim.Adam(model.parameters())
    for batch in torch.as_tensor(train_idx).split(32):
        optimizer.zero_grad()
        nn.functional.cross_entropy(model(X[batch]), y[batch]).backward()
        optimizer.step()
    print((model(X[test_idx]).argmax(1) == y[test_idx]).float().mean().item())
