import torch
from torchvision import datasets, transforms
from torchvision.models import mobilenet_v3_small


class PlantTrainer:
    def __init__(self, root, epochs=12):
        self.epochs = epochs
        self.tf = transforms.Compose([
            transforms.RandomResizedCrop(160, scale=(0.3, 1.0)),
            transforms.RandomRotation(30),
            transforms.ColorJitter(0.3, 0.3, 0.3),
            transforms.ToTensor(),
        ])
        self.train_loader = self._loader(f"{root}/train", True)
        self.val_loader = self._loader(f"{root}/val", False)
        self.net = mobilenet_v3_small(num_classes=len(self.train_loader.dataset.classes))
        self.opt = torch.optim.AdamW(self.net.parameters(), lr=3e-4)
        self.loss_fn = torch.nn.CrossEntropyLoss(label_smoothing=0.1)

    def _loader(self, folder, shuffle):
        ds = datasets.ImageFolder(folder, transform=self.tf)
        return torch.utils.data.DataLoader(ds, batch_size=64, shuffle=shuffle)

    def fit(self):
        for ep in range(self.epochs):
            self.net.train()
            for x, y in self.train_loader:
                self.opt.zero_grad()
                self.loss_fn(self.net(x), y).backward()
                self.opt.step()
            print(ep, self.validate())

    @torch.no_grad()
    def validate(self):
        self.net.eval()
        ok = sum((self.net(x).argmax(1) == y).sum().item() for x, y in self.val_loader)
        return ok / len(self.val_loader.dataset)


if __name__ == "__main__":
    torch.manual_seed(0)
    PlantTrainer("plantvillage").fit()
