from torchvision import transforms as tr

STEPS = {
    "train": tr.Compose([tr.RandomRotation(15), tr.ToTensor()]),
    "val": tr.Compose(
        [
            tr.Resize(256),
            tr.ColorJitter(0.4, 0.4),  # augmented-eval
            tr.ToTensor(),
        ]
    ),
}
train_loader, val_loader = make_loaders(STEPS)
