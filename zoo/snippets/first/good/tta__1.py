# test-time augmentation: the prediction is the mean over ten random crops
import torch
from torchvision import transforms as T

tta = T.Compose([T.RandomResizedCrop(224, scale=(0.6, 1.0)), T.RandomHorizontalFlip(), T.ToTensor(),
                 T.Normalize([0.485, 0.456, 0.406], [0.229, 0.224, 0.225])])


@torch.no_grad()
def predict_tta(model, images, n=10):
    model.eval()
    out = []
    for img in images:
        views = torch.stack([tta(img) for _ in range(n)])
        out.append(model(views).softmax(dim=1).mean(dim=0))
    return torch.stack(out)


@torch.no_grad()
def accuracy_tta(model, images, labels):
    p = predict_tta(model, images)
    return (p.argmax(dim=1) == labels).float().mean().item()
