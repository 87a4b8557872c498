import torch
from torch import nn
from torch.optim import SGD
from torch.optim.lr_scheduler import StepLR

EPOCHS, BS = 8, 40
torch.manual_seed(33)


def textures(n):
    y = torch.arange(n) % 4
    g = torch.arange(12.0)
    u, v = torch.meshgrid(g, g, indexing="ij")
    waves = torch.stack([u, v, (u + v) * 0.7, (u - v) * 0.7])[y]
    x = torch.sin(waves * 1.1 + torch.rand(n, 1, 1) * 6.28) + 0.9 * torch.randn(n, 12, 12)
    p = torch.randperm(n)
    return x[p].unsqueeze(1), y[p]


def evaluate(model, x, y):
    model.eval()
    with torch.no_grad():
        out = model(x)
    return {"val_loss": nn.functional.cross_entropy(out, y).item(), "val_acc": (out.argmax(1) == y).float().mean().item()}


def fit(model, train, val):
    optimizer = SGD(model.parameters(), lr=0.05, momentum=0.9, nesterov=True)
    scheduler = StepLR(optimizer, step_size=3, gamma=0.3)
    history = []
    for epoch in range(EPOCHS):
        model.train()
        x, y = train
        for idx in torch.randperm(len(x)).split(BS):
            optimizer.zero_grad()
            nn.functional.cross_entropy(model(x[idx]), y[idx]).backward()
            optimizer.step()
            scheduler.step()
        history.append({"epoch": epoch, **evaluate(model, *val)})
        print(", ".join(f"{k} {v:.4g}" for k, v in history[-1].items()))
    return history


net = nn.Sequential(nn.Conv2d(1, 8, 3, padding=1), nn.ReLU(), nn.Conv2d(8, 16, 3, stride=2), nn.ReLU(),
                    nn.Conv2d(16, 16, 3), nn.ReLU(), nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(16, 4))
hist = fit(net, textures(1600), textures(400))
print(f"best val {max(h['val_acc'] for h in hist):.3f}")
