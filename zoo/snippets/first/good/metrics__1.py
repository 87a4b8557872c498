import torch
import torchmetrics


class Evaluator:
    def __init__(self, n_classes, device):
        self.acc = torchmetrics.Accuracy(task="multiclass", num_classes=n_classes).to(device)
        self.f1 = torchmetrics.F1Score(task="multiclass", num_classes=n_classes, average="macro").to(device)
        self.loss = torchmetrics.MeanMetric().to(device)
        self.device = device

    @torch.inference_mode()
    def run(self, model, loader):
        was = model.training
        model.eval()
        for m in (self.acc, self.f1, self.loss):
            m.reset()
        for x, y in loader:
            x, y = x.to(self.device), y.to(self.device)
            out = model(x)
            self.acc.update(out, y)
            self.f1.update(out, y)
            self.loss.update(torch.nn.functional.cross_entropy(out, y), weight=len(y))
        model.train(was)
        return self.acc.compute().item(), self.f1.compute().item(), self.loss.compute().item()
