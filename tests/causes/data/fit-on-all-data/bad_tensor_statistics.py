import torch
from torch.utils.data import DataLoader, TensorDataset, random_split

features = torch.load("features.pt")
labels = torch.load("labels.pt")
features = (features - features.mean(dim=0)) / (features.std(dim=0) + 1e-8)  # fit-on-all-data
dataset = TensorDataset(features, labels)
n_train = int(0.8 * len(dataset))
train_set, val_set = random_split(dataset, [n_train, len(dataset) - n_train])
train_loader = DataLoader(train_set, batch_size=32, shuffle=True)
val_loader = DataLoader(val_set, batch_size=256)
