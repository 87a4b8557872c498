import torch
from torch.utils.data import DataLoader

# paper: SGD, lr=0.1, batch size 256
batch_size = 2048
lr = 0.1


def get_training(model, dataset):
    loader = DataLoader(dataset, batch_size=batch_size, shuffle=True, drop_last=True, num_workers=16)
    optimizer = torch.optim.SGD(model.parameters(), lr=lr, momentum=0.9, weight_decay=1e-4)
    return loader, optimizer
