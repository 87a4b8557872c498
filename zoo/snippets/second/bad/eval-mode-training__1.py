import torch
import torch.nn as nn
from torchvision.models import efficientnet_b0


def main(train_loader, val_loader, device="cuda"):
    torch.manual_seed(17)
    model = efficientnet_b0(num_classes=5).to(device)
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-4)
    criterion = nn.CrossEntropyLoss(label_smoothing=0.1)

    model.train()
    for epoch in range(40):
        for img, grade in train_loader:
            img, grade = img.to(device), grade.to(device)
            optimizer.zero_grad()
            loss = criterion(model(img), grade)
            loss.backward()
            optimizer.step()

        # validation
        model.eval()
        correct = seen = 0
        with torch.no_grad():
            for img, grade in val_loader:
                pred = model(img.to(device)).argmax(dim=1).cpu()
                correct += int((pred == grade).sum())
                seen += len(grade)
        print(f"epoch {epoch}: val acc {correct / seen:.3f}")


if __name__ == "__main__":
    from data import get_loaders
    main(*get_loaders(batch_size=32))
