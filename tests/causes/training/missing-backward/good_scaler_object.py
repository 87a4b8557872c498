import torch
from util.misc import NativeScaler

model = build_model()
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4)
loss_scaler = NativeScaler()
for samples, targets in data_loader:
    loss = torch.nn.functional.cross_entropy(model(samples), targets)
    optimizer.zero_grad()
    loss_scaler(loss, optimizer, parameters=model.parameters())
    optimizer.step()
