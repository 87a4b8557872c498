import torch
import torch.nn as nn
import torch.nn.functional as F


def layer(cin, cout):
    return nn.Sequential(nn.Conv2d(cin, cout, 3, padding=1), nn.ReLU(inplace=True))


class Segmenter(nn.Module):
    def __init__(self, classes=6):
        super().__init__()
        self.encoder = nn.Sequential(layer(1, 12), layer(12, 12))
        self.classifier = nn.Conv2d(12, classes, 1)

    def forward(self, x):
        z = self.classifier(self.encoder(x))
        return F.softmax(z, 1)


def fields(n, gen):
    """Land-use toy maps: six crops as stripes of different brightness."""
    rows = torch.randint(0, 6, (n, 4, 1), generator=gen)
    label = rows.repeat_interleave(4, 1).expand(n, 16, 16).contiguous()
    image = label.float() / 2.5 - 1 + 0.12 * torch.randn(n, 16, 16, generator=gen)
    return image.unsqueeze(1), label


def fit(model, x, y, epochs=6, lr=0.05):
    history = {"loss": []}
    sgd = torch.optim.SGD(model.parameters(), lr=lr, momentum=0.9)
    for _ in range(epochs):
        for k in torch.randperm(len(x)).chunk(30):
            loss = F.cross_entropy(model(x[k]), y[k])
            sgd.zero_grad()
            loss.backward()
            sgd.step()
            history["loss"].append(loss.item())
        print("loss", sum(history["loss"][-30:]) / 30)
    return history


torch.manual_seed(9)
gen = torch.Generator().manual_seed(9)
x, y = fields(480, gen)
xt, yt = fields(120, gen)
model = Segmenter()
fit(model, x, y)
with torch.no_grad():
    acc = (model(xt).argmax(1) == yt).float().mean().item()
print(f"pixel accuracy {acc:.3f}")
