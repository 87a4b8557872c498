import torch
from torch.utils.data import Dataset


class Masked(Dataset):
    def __init__(self, images, labels):
        self.images = images
        self.labels = labels

    def __len__(self):
        return len(self.images)

    def __getitem__(self, index):
        image = self.images[index].clone()
        label = self.labels[index]
        label -= 1
        image /= 255
        image[:, 4:9, 4:9] = 0
        return image, label


def epochs(data, order, net, opt):
    for _ in range(5):
        for i in range(0, len(order), 50):
            xb = data[order[i : i + 50]]
            xb -= xb.mean()
            loss = torch.nn.functional.mse_loss(net(xb), xb)
            opt.zero_grad()
            loss.backward()
            opt.step()
