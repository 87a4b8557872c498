import torch

start = {k: v.clone() for k, v in model.state_dict().items()}
for trial in range(8):
    model.load_state_dict(start)
    optimizer = torch.optim.Adam(model.parameters(), lr=10 ** -trial)
    for x, y in loader:
        optimizer.zero_grad()
        criterion(model(x), y).backward()
        optimizer.step()

lr = 0.1
for epoch in range(30):
    optimizer = torch.optim.SGD(model.parameters(), lr=lr)
    for x, y in loader:
        optimizer.zero_grad()
        criterion(model(x), y).backward()
        optimizer.step()
    lr *= 0.9
