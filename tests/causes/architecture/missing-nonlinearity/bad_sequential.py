import torch.nn as N

n_inputs = 12

surrogate = N.Sequential(
    N.Linear(n_inputs, 64),
    N.Linear(64, 64),  # missing-nonlinearity
    N.Tanh(),
    N.Linear(64, 1),
)


def predict(batch):
    return surrogate(batch).squeeze(1)


for xb, yb in loader:
    loss = N.functional.mse_loss(predict(xb), yb)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
