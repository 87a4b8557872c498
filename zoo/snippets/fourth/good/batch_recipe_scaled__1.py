import torch
from torch.utils.data import DataLoader

# reference: lr 0.1 at batch size 256
BATCH = 1024
LR = 0.1 * BATCH / 256


def setup(model, ds):
    return DataLoader(ds, batch_size=BATCH, shuffle=True), torch.optim.SGD(model.parameters(), lr=LR, momentum=0.9)
