import torch
import torch.nn.functional as F


def objective(scores, labels, normalise=None):
    """Scores from anywhere; some ablations squash them on purpose."""
    if normalise == "unit":
        scores = F.normalize(scores, dim=1)
    elif normalise == "softmax":
        scores = F.softmax(scores, dim=1)
    return F.cross_entropy(scores, labels)


def ablation_loss(scores, labels, squash):
    if squash:
        scores = torch.sigmoid(scores)
    return F.cross_entropy(scores, labels, label_smoothing=0.1)


def train(model, loader, optimizer, config):
    for inputs, labels in loader:
        optimizer.zero_grad(set_to_none=True)
        loss = objective(model(inputs), labels, config.normalise)
        loss.backward()
        optimizer.step()
    return torch.cuda.max_memory_allocated() if torch.cuda.is_available() else None
