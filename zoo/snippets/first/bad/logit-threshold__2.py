import numpy as np
import torch
import torch.nn.functional as F
from sklearn.metrics import f1_score

GENRES = ["action", "comedy", "drama", "horror", "romance", "sci-fi"]


class PosterModel(torch.nn.Module):
    def __init__(self, backbone, dim):
        super().__init__()
        self.backbone = backbone
        self.classifier = torch.nn.Linear(dim, len(GENRES))

    def forward(self, img):
        return self.classifier(self.backbone(img))


def train_batch(model, opt, img, tags):
    model.train()
    loss = F.binary_cross_entropy_with_logits(model(img), tags.float())
    opt.zero_grad()
    loss.backward()
    opt.step()
    return loss.item()


@torch.inference_mode()
def predict_tags(model, loader):
    model.eval()
    truth, guess = [], []
    for img, tags in loader:
        scores = model(img)
        guess.append(torch.round(scores).clamp(0, 1).numpy())
        truth.append(tags.numpy())
    return np.concatenate(truth), np.concatenate(guess)


def report(model, loader):
    t, g = predict_tags(model, loader)
    for i, name in enumerate(GENRES):
        print(f"{name:10s} {f1_score(t[:, i], g[:, i]):.3f}")
