import torch
import torch.nn as nn
import torchvision


def load_backbone(path, n_out):
    net = torchvision.models.densenet121(weights=None)
    net.load_state_dict(torch.load(path, map_location="cpu"))
    net.classifier = nn.Sequential(nn.Dropout(0.3), nn.Linear(1024, n_out))
    net.eval()
    return net


class XRayFineTuner:
    def __init__(self, path, n_findings, lr=1e-4):
        self.net = load_backbone(path, n_findings).cuda()
        self.criterion = nn.BCEWithLogitsLoss()
        self.optimizer = torch.optim.Adam(self.net.parameters(), lr=lr, weight_decay=1e-5)

    def train_step(self, img, findings):
        self.optimizer.zero_grad()
        loss = self.criterion(self.net(img.cuda()), findings.cuda().float())
        loss.backward()
        self.optimizer.step()
        return loss.item()

    def fit(self, loader, epochs):
        for epoch in range(epochs):
            losses = [self.train_step(x, y) for x, y in loader]
            print(epoch, sum(losses) / len(losses))


tuner = XRayFineTuner("densenet_rsna.pt", 14)
tuner.fit(train_loader, 8)
