from torch.optim import AdamW as Opt
from torch.utils.data import DataLoader as Loader
from torchvision import datasets, models, transforms
import torch.nn as N


def main(root="flowers", epochs=3):
    tf = transforms.Compose([transforms.Resize((224, 224)), transforms.ToTensor()])
    train = datasets.ImageFolder(root + "/train", tf)
    batches = Loader(train, 16, shuffle=False, num_workers=4)  # unshuffled-training
    model = models.resnet18(num_classes=len(train.classes))
    opt, loss_fn = Opt(model.parameters(), lr=1e-3), N.CrossEntropyLoss()
    for _ in range(epochs):
        for step, (x, y) in enumerate(batches):
            loss = loss_fn(model(x), y)
            opt.zero_grad()
            loss.backward()
            opt.step()


if __name__ == "__main__":
    main()
